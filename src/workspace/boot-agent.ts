import { AgentService } from "../../gen/handrail/sandbox/v1/agent_service_pb.js";
import type { HelloResponse } from "../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { bootScript } from "../sandbox/boot/boot-script.js";
import { sendBoot } from "../sandbox/boot/send-boot.js";
import type { AgentClient } from "../sandbox/channel/agent-client.js";
import type { AgentConfig } from "../sandbox/channel/agent-config.js";
import { createAgentClient } from "../sandbox/channel/create-agent-client.js";
import { SandboxError } from "../sandbox/provider.js";
import type { AgentPipe, Sandbox, SandboxKey, SandboxProvider } from "../sandbox/provider.js";
import { within } from "./within.js";
import { COMMAND_ENVIRONMENT } from "./command-environment.js";

/** The built program of the agent. */
export interface AgentProgram {
  readonly agentBundle: Uint8Array;
  /** Undefined where no compiler was found by the build. */
  readonly launcher: Uint8Array | undefined;
}

/** What a project may take of the disk. */
export interface DiskLimits {
  /** Most bytes of its files and its home directory together. 0: any number. */
  readonly quotaBytes: number;
  /** Bytes of the disk that it leaves free for others. 0: none. */
  readonly reserveBytes: number;
}

/** How long and how many bytes of long outputs a project keeps. */
export interface ArtifactLimits {
  /** In ms. */
  readonly keptMs: number;
  /** Most bytes of all of them; the oldest go first. */
  readonly maxBytes: number;
}

/** The limits if none are set. */
const DEFAULT_ARTIFACTS: ArtifactLimits = { keptMs: 86_400_000, maxBytes: 512 * 1024 * 1024 };

/** How much longer than the longest boot an agent waits for its service, in ms. */
const FIRST_REQUEST_SLACK_MS = 5000;

/** An agent that answers. */
export interface BootedAgent {
  readonly client: AgentClient;
  readonly hello: HelloResponse;
}

/** Where callers may say that the workspace is, wherever it is. */
const WORKSPACE_ALIAS = "/workspace";

/** Boots an agent in a sandbox and asks what it found. Throws SandboxError. */
export async function bootAgent(
  sandbox: Sandbox,
  options: {
    provider: SandboxProvider;
    program: AgentProgram;
    bootMs: number;
    signal: AbortSignal;
    /** Port of the proxy to the outside. Default: no proxy. */
    proxyPort?: number | undefined;
    /** Limits of what the project may take of the disk. Default: none. */
    disk?: DiskLimits | undefined;
    /** Default: 24 h and 512 MiB. */
    artifacts?: ArtifactLimits | undefined;
  },
): Promise<BootedAgent> {
  const { provider, program, bootMs } = options;
  const onTimeout = () => new BootTimeout(`did not answer within ${bootMs} ms`);
  return within({ timeoutMs: bootMs, signal: options.signal, onTimeout }, async (signal) => {
    const agent = await provider.bootAgent(sandbox, { bootScript, signal }).catch((error: unknown) => {
      throw error instanceof BootTimeout ? notBooted(error) : error;
    });
    agent.pipe.on("error", ignoreError);
    const onAbort = () => agent.pipe.destroy();
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      signal.throwIfAborted();
      return await greet(agent, { program, signal, config: agentConfig(provider, sandbox.key, options) });
    } catch (error) {
      agent.pipe.destroy();
      options.signal.throwIfAborted();
      throw notBooted(signal.aborted ? signal.reason : error, agent);
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  });
}

async function greet(
  { pipe }: AgentPipe,
  options: { program: AgentProgram; config: AgentConfig; signal: AbortSignal },
): Promise<BootedAgent> {
  const { program, config, signal } = options;
  const { agentBundle: bundle, launcher } = program;
  await sendBoot(pipe, { bundle, config, ...(launcher === undefined ? {} : { launcher }) });
  const client = createAgentClient(pipe);
  return { client, hello: await client.call(AgentService.method.hello, {}, { signal }) };
}

/** The agent took too long. */
class BootTimeout extends Error {
  override readonly name = "BootTimeout";
}

/** A pipe that breaks is heard of by the one who writes to it or waits for an answer. */
function ignoreError(): void {
  return undefined;
}

function agentConfig(
  provider: SandboxProvider,
  key: SandboxKey,
  {
    bootMs,
    proxyPort,
    disk,
    artifacts = DEFAULT_ARTIFACTS,
  }: {
    bootMs: number;
    proxyPort?: number | undefined;
    disk?: DiskLimits | undefined;
    artifacts?: ArtifactLimits | undefined;
  },
): AgentConfig {
  const { workspace, home, runtime } = provider.paths(key);
  const { readRoots, commandUid, isUserOwn, env } = provider.surroundings(key);
  return {
    workspaceRoot: workspace,
    workspaceAliases: workspace === WORKSPACE_ALIAS ? [] : [WORKSPACE_ALIAS],
    homeDir: home,
    runtimeDir: runtime,
    env: { ...COMMAND_ENVIRONMENT, ...env },
    readRoots,
    commandUid,
    sweep: isUserOwn,
    quotaBytes: disk?.quotaBytes ?? 0,
    reserveBytes: disk?.reserveBytes ?? 0,
    firstRequestMs: bootMs + FIRST_REQUEST_SLACK_MS,
    artifactMs: artifacts.keptMs,
    artifactBytes: artifacts.maxBytes,
    ...(proxyPort === undefined ? {} : { proxyPort }),
  };
}

function notBooted(error: unknown, agent?: AgentPipe): SandboxError {
  if (error instanceof SandboxError) return error;
  const said = agent?.stderrTail().trim() ?? "";
  const why = error instanceof BootTimeout ? error.message : "ended while it was booted";
  return new SandboxError("not-startable", `the agent process ${why}`, {
    cause: error,
    hint: said === "" ? "Does the sandbox have Node 20 or newer?" : `It said: ${said.slice(-500)}`,
  });
}
