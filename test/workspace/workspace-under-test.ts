import { randomUUID } from "node:crypto";
import type { RunExit } from "../../gen/handrail/sandbox/v1/agent_service_pb.js";
import type { SandboxKey, SandboxProvider } from "../../src/sandbox/provider.js";
import { createWorkspaceManager } from "../../src/workspace/workspace-manager.js";
import type { RunOptions, Workspace, WorkspaceManager } from "../../src/workspace/workspace.js";
import { buildParts } from "../sandbox-agent/test-agent.js";

/** A signal that is never aborted. */
export const never = new AbortController().signal;

/** A manager with the real agent over a provider. */
export async function managerOver(
  provider: SandboxProvider,
  options: { bootMs?: number } = {},
): Promise<WorkspaceManager> {
  const { bundle, launcher } = await (built ??= buildParts());
  const log = { info: () => undefined, warn: () => undefined };
  return createWorkspaceManager({ provider, assets: { agentBundle: bundle, launcher }, log, ...options });
}

let built: ReturnType<typeof buildParts> | undefined;

/** A project that no other test uses. */
export function newKey(): SandboxKey {
  return { tenant: `test-${randomUUID()}`, project: "project" };
}

/** How a command ended and what it printed. */
export interface Ran {
  readonly exit: RunExit;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a bash script in a workspace. */
export async function bash(
  workspace: Workspace,
  script: string,
  options: Partial<Pick<RunOptions, "signal" | "killGraceMs" | "onStarted">> = {},
): Promise<Ran> {
  const output = { stdout: "", stderr: "" };
  const exit = await workspace.processes.run({
    runId: randomUUID(),
    argv: ["bash", "-c", script],
    signal: never,
    killGraceMs: 200,
    onOutput: (stream, data) => {
      output[stream] += Buffer.from(data).toString();
    },
    ...options,
  });
  return { exit, ...output };
}
