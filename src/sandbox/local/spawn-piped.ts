import { spawn } from "node:child_process";
import { SandboxError } from "../provider.js";
import type { LocalIdentity } from "./identity.js";
import type { PipedChild } from "./process-pipe.js";

/**
 * Starts a program in a session of its own with piped standard streams, as the user of commands, without any
 * supplementary group and with no variable but those of `env`. Resolves when it runs; throws SandboxError.
 */
export async function spawnPiped(
  argv: readonly [string, ...string[]],
  { identity, env }: { identity: LocalIdentity; env: Readonly<Record<string, string>> },
): Promise<PipedChild> {
  const [program, ...args] = argv;
  const child = spawn(program, args, {
    cwd: "/",
    env: { ...env },
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
    ...(identity.drops ? { uid: identity.uid, gid: identity.gid } : {}),
  });
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (cause: NodeJS.ErrnoException) => {
      reject(
        new SandboxError(
          "not-startable",
          `a local process could not be started (${cause.code ?? "no code"})`,
          {
            hint: `look whether user ${identity.uid} may run ${program}`,
            cause,
          },
        ),
      );
    });
  });
  return child;
}
