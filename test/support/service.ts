import { randomUUID } from "node:crypto";
import { chmod, mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { kill } from "node:process";
import { createClient } from "@connectrpc/connect";
import type { Client, Transport } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import Docker from "dockerode";
import { onTestFinished } from "vitest";
import type { CallContext } from "../../gen/handrail/v1/context_pb.js";
import type { CallEvent } from "../../gen/handrail/v1/events_pb.js";
import type { Result } from "../../gen/handrail/v1/result_pb.js";
import { ProjectService } from "../../gen/handrail/v1/project_service_pb.js";
import { SessionService } from "../../gen/handrail/v1/session_service_pb.js";
import { ToolService } from "../../gen/handrail/v1/tool_service_pb.js";
import type { ExecuteToolRequest } from "../../gen/handrail/v1/tool_service_pb.js";
import type { LocalClient } from "../../src/calls/local-client.js";
import { compose } from "../../src/compose.js";
import { readConfig } from "../../src/config/config.js";

/** The kinds of sandbox that tests run on. */
export type SandboxKind = "docker" | "bubblewrap";

/** The kinds that this machine has, as the set-up found; those that it lacks are named by the set-up, which then fails. */
export const SANDBOX_KINDS: readonly SandboxKind[] = (["docker", "bubblewrap"] as const).filter((kind) =>
  (process.env["HANDRAIL_TEST_PARTS"] ?? "docker,bubblewrap").split(",").includes(kind),
);

/** What one call came to. */
export interface Outcome {
  readonly events: readonly CallEvent[];
  readonly result: Result;
  /** All text for the model. */
  readonly text: string;
  /** What was written to standard output and error, live. */
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly elapsedMs: number;
}

/** What a test sets of a request beside tool and arguments. */
export type CallRequest = Partial<Omit<ExecuteToolRequest, "context" | "$typeName" | "$unknown">> & {
  readonly context?: Partial<Omit<CallContext, "$typeName" | "$unknown">>;
};

/** A service for tests, with clients and a project of its own. */
export interface TestService {
  readonly url: string;
  readonly project: string;
  readonly kind: SandboxKind;
  readonly tools: Client<typeof ToolService>;
  readonly sessions: Client<typeof SessionService>;
  readonly projects: Client<typeof ProjectService>;
  /** The client of callers inside the process. */
  readonly local: LocalClient;
  /** Lines of its log. */
  readonly log: readonly {
    readonly level: string;
    readonly fields: Record<string, unknown>;
    readonly message: string;
  }[];
  /** Runs a tool in the project and waits for the result. */
  run(
    tool: string,
    args: Record<string, unknown>,
    options?: {
      signal?: AbortSignal;
      timeoutMs?: number;
      request?: CallRequest;
    },
  ): Promise<Outcome>;
  bash(command: string, args?: Record<string, unknown>): Promise<Outcome>;
  /** Removes the sandbox of the project behind the service's back: its files stay. */
  removeSandbox(): Promise<void>;
  /** The container of the project, for docker. */
  container(): Promise<Docker.Container>;
  close(): Promise<void>;
}

/** Starts a service on sandboxes of one kind. Close it, or it ends with the test. */
export async function startTestService(
  kind: SandboxKind,
  environment: Readonly<Record<string, string>> = {},
): Promise<TestService> {
  const dataDir = await mkdtemp(join(tmpdir(), "handrail-test-"));
  await chmod(dataDir, 0o755);
  const instance = `test-${randomUUID().slice(0, 8)}`;
  const log: { level: string; fields: Record<string, unknown>; message: string }[] = [];
  const write = (level: string) => (fields: object, message: string) =>
    void log.push({ level, fields: { ...fields }, message });
  const config = readConfig(
    {
      HANDRAIL_PORT: "0",
      HANDRAIL_SANDBOX: kind === "docker" ? "docker" : "local",
      HANDRAIL_INSTANCE: instance,
      HANDRAIL_DATA_DIR: dataDir,
      HANDRAIL_DRAIN_MS: "0",
      HANDRAIL_SANDBOX_MEMORY_MIB: "512",
      ...environment,
    },
    { isRoot: process.getuid?.() === 0 },
  );
  const service = await compose(config, {
    log: { info: write("info"), warn: write("warn"), error: write("error") },
    dist: new URL("../../dist/", import.meta.url),
  });
  const transport = createGrpcTransport({ baseUrl: service.url });
  const project = `p-${randomUUID().slice(0, 8)}`;
  let closed = false;
  return {
    ...clientsOf(transport, project),
    url: service.url,
    local: service.local,
    project,
    kind,
    log,
    container: () => findContainer(instance),
    async removeSandbox() {
      if (kind === "docker") await (await findContainer(instance)).remove({ force: true });
      else await removeLocalSandboxes(dataDir);
    },
    async close() {
      if (closed) return;
      closed = true;
      await service.drain();
      if (kind === "docker") await removeContainers(instance);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** The same, ended when the running test ends. */
export async function serviceForTest(
  kind: SandboxKind,
  environment: Readonly<Record<string, string>> = {},
): Promise<TestService> {
  const service = await startTestService(kind, environment);
  onTestFinished(() => service.close());
  return service;
}

function clientsOf(
  transport: Transport,
  project: string,
): Pick<TestService, "tools" | "sessions" | "projects" | "run" | "bash"> {
  const tools = createClient(ToolService, transport);
  const run: TestService["run"] = async (tool, args, options = {}) => {
    const { request: { context = {}, ...request } = {}, ...callOptions } = options;
    const startedAt = performance.now();
    const events: CallEvent[] = [];
    const stream = tools.executeTool(
      {
        context: { projectId: project, turnId: randomUUID(), ...context },
        tool,
        input: { case: "argumentsJson", value: JSON.stringify(args) },
        callId: randomUUID(),
        ...request,
      },
      callOptions,
    );
    for await (const { event } of stream) if (event !== undefined) events.push(event);
    return outcomeOf(events, performance.now() - startedAt);
  };
  return {
    tools,
    sessions: createClient(SessionService, transport),
    projects: createClient(ProjectService, transport),
    run,
    bash: (command, args = {}) => run("bash", { command, ...args }),
  };
}

/** Folds the events of a call. */
export function outcomeOf(events: readonly CallEvent[], elapsedMs: number): Outcome {
  const last = events.at(-1)?.event;
  if (last?.case !== "result")
    throw new Error(`the stream ended with ${last?.case ?? "nothing"}, not a result`);
  const result = last.value;
  const bytes = (stream: number) =>
    Buffer.concat(
      events.flatMap(({ event }) =>
        event.case === "output" && (event.value.stream as number) === stream ? [event.value.data] : [],
      ),
    );
  const text = result.content.map(({ part }) => (part.case === "text" ? part.value.text : "")).join("\n");
  return { events, result, text, stdout: bytes(1), stderr: bytes(2), elapsedMs };
}

async function findContainer(instance: string): Promise<Docker.Container> {
  const docker = new Docker();
  const [found] = await docker.listContainers({
    all: true,
    filters: { label: [`handrail.instance=${instance}`] },
  });
  if (found === undefined) throw new Error("the project has no container");
  return docker.getContainer(found.Id);
}

/** Ends the life of each local sandbox of a directory: its mark goes, then its processes. */
async function removeLocalSandboxes(dataDir: string): Promise<void> {
  const entries = await readdir(dataDir, { recursive: true });
  const marks = entries.filter((path) => basename(path) === "live");
  if (marks.length === 0) throw new Error("no local sandbox lives");
  await Promise.all(marks.map((path) => rm(join(dataDir, path))));
  for (const pid of await readdir("/proc")) {
    const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    if (/^\d+$/.test(pid) && command.includes("bwrap") && command.includes(dataDir))
      kill(Number(pid), "SIGKILL");
  }
}

/** Removes the containers and volumes of a test's instance. */
export async function removeContainers(instance: string): Promise<void> {
  const docker = new Docker();
  const filters = { label: [`handrail.instance=${instance}`] };
  for (const { Id } of await docker.listContainers({ all: true, filters })) {
    await docker.getContainer(Id).remove({ force: true, v: true });
  }
  const { Volumes } = await docker.listVolumes({ filters });
  for (const { Name } of Volumes) await docker.getVolume(Name).remove();
}
