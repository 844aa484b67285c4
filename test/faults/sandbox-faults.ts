import type Docker from "dockerode";

/** Something bad that happens to a sandbox behind the service's back. */
export interface SandboxFault {
  readonly name: string;
  /** Whether the container is gone, so that it is replaced and counted as a recovery. */
  readonly removes: boolean;
  /** Outcome and error code of a call that it meets in the middle. */
  readonly lost: readonly [outcome: string, code: string];
  readonly strike: (container: Docker.Container) => Promise<unknown>;
}

/** Ends every process of the container that has the name. Fails if there is none. */
function killByName(name: string): string {
  return (
    `found=1; for each in /proc/[0-9]*; do if grep -qx ${name} $each/comm 2>/dev/null; ` +
    `then kill -9 \${each#/proc/}; found=0; fi; done; exit $found`
  );
}

/** Runs a script in the container as the user of commands. Throws if it fails. */
async function runInside(container: Docker.Container, script: string): Promise<void> {
  const exec = await container.exec({
    Cmd: ["sh", "-c", script],
    User: "1000:1000",
    AttachStdout: true,
    AttachStderr: true,
  });
  const stream = await exec.start({});
  await new Promise((resolve) => stream.on("close", resolve).on("end", resolve).resume());
  const { ExitCode } = await exec.inspect();
  if (ExitCode !== 0) throw new Error(`the script ended with ${ExitCode ?? "no code"}: ${script}`);
}

/** The faults of a sandbox, each of which may come before a call or in the middle of one. */
export const SANDBOX_FAULTS: readonly SandboxFault[] = [
  {
    name: "a container that is removed",
    removes: true,
    lost: ["SANDBOX_LOST", "sandbox.lost"],
    strike: (container) => container.remove({ force: true }),
  },
  {
    name: "a container that is stopped",
    removes: false,
    lost: ["SANDBOX_LOST", "sandbox.agent_lost"],
    strike: (container) => container.stop({ t: 0 }),
  },
  {
    name: "a container that is killed",
    removes: false,
    lost: ["SANDBOX_LOST", "sandbox.agent_lost"],
    strike: (container) => container.kill(),
  },
  {
    name: "an agent process that is killed",
    removes: false,
    lost: ["SANDBOX_LOST", "sandbox.agent_lost"],
    strike: (container) => runInside(container, killByName("handrail-agent")),
  },
  {
    name: "a launcher that is killed",
    removes: false,
    lost: ["TOOL_ERROR", "bash.exit_unknown"],
    strike: (container) => runInside(container, killByName("handrail-launch")),
  },
  {
    name: "kill -9 -1 from outside",
    removes: false,
    lost: ["SANDBOX_LOST", "sandbox.agent_lost"],
    strike: (container) => runInside(container, "kill -9 -1"),
  },
];
