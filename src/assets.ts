import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The built files that the service needs beside its own code. */
export interface Assets {
  /** The program that runs inside sandboxes. */
  readonly agentBundle: Uint8Array;
  /** The native launcher; undefined where no compiler was found by the build. */
  readonly launcher: Uint8Array | undefined;
  /** Path of the program that prepares pictures. */
  readonly pictureJobPath: string;
  /** Path of the program that checks the state. */
  readonly stateCheckPath: string;
}

/** Reads what the build made in the folder `dist`. Throws if it has not been built. */
export function loadAssets(dist: URL): Assets {
  const path = (name: string) => fileURLToPath(new URL(name, dist));
  if (!existsSync(path("agent.cjs"))) {
    throw new Error("the agent bundle is not built: run npm run build");
  }
  return {
    agentBundle: readFileSync(path("agent.cjs")),
    launcher: existsSync(path("launcher")) ? readFileSync(path("launcher")) : undefined,
    pictureJobPath: path("picture-job.js"),
    stateCheckPath: path("state-check.js"),
  };
}
