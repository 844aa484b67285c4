import type { Duplex } from "node:stream";
import { SandboxError, type AgentPipe, type Sandbox } from "../provider.js";
import { agentEnvironment, COMMAND_USER } from "./container-options.js";
import { sandboxError, type Engine } from "./engine.js";
import { isConflict } from "./engine-refusal.js";
import { ExecPipe } from "./exec-pipe.js";

/** Starts Node with the boot script in a container. Throws SandboxError. */
export async function bootAgent(
  engine: Engine,
  sandbox: Sandbox,
  { bootScript, signal }: { bootScript: string; signal: AbortSignal },
): Promise<AgentPipe> {
  try {
    const exec = await engine.request(
      (abortSignal) =>
        engine.docker.getContainer(sandbox.id).exec({
          Cmd: ["node", "-e", bootScript],
          User: COMMAND_USER,
          WorkingDir: "/",
          Env: agentEnvironment(engine.settings),
          AttachStdin: true,
          AttachStdout: true,
          AttachStderr: true,
          Tty: false,
          Privileged: false,
          abortSignal,
        }),
      { signal },
    );
    const connection: Duplex = await engine.request(
      (abortSignal) => exec.start({ hijack: true, stdin: true, Tty: false, abortSignal }),
      { signal },
    );
    const pipe = new ExecPipe(connection);
    return { pipe, stderrTail: () => pipe.stderrTail() };
  } catch (error) {
    if (isConflict(error)) {
      throw new SandboxError("not-startable", "the sandbox is not running", { cause: error });
    }
    throw sandboxError(error, engine.settings.image);
  }
}
