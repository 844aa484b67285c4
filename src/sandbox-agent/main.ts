import { stat } from "node:fs/promises";
import type { Readable, Writable } from "node:stream";
import type { AgentConfig } from "../sandbox/channel/agent-config.js";
import { BufferedPipe } from "../sandbox/channel/buffered-pipe.js";
import { serveAgent } from "../sandbox/channel/serve-agent.js";
import { createDialHandler } from "./egress/dial-handler.js";
import { createDialHandlers } from "./egress/dial-handlers.js";
import { DialBoard } from "./egress/dial-board.js";
import { proxyEnvironment } from "./egress/proxy-environment.js";
import { startProxy } from "./egress/proxy-server.js";
import { DiskGuard } from "./disk/disk-guard.js";
import { createListTreeHandler } from "./files/list-tree-handler.js";
import { createReadBytesHandler } from "./files/read-bytes-handler.js";
import { createReadLinesHandler } from "./files/read-lines-handler.js";
import { ReadRoots, writeRoots } from "./files/read-roots.js";
import { createStatHandler } from "./files/stat-handler.js";
import { createWriteFileHandler } from "./files/write-file-handler.js";
import { createHelloHandler } from "./hello-handler.js";
import { openOomCounter } from "./oom-counter.js";
import { openProcessRoom } from "./process-room.js";
import { Artifacts } from "./runs/artifacts.js";
import { createKillHandlers } from "./runs/kill-handlers.js";
import { createRunHandler } from "./runs/run-handler.js";
import { RunRegistry } from "./runs/run-registry.js";
import { createSupervisor } from "./supervise/create-supervisor.js";
import { sweep } from "./sweep.js";

declare const HANDRAIL_BUILD_ID: string;

const endWithinMs = 8000;

/** What the boot script hands over. */
export interface StartOptions {
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Bytes of standard input that were read beyond the boot. */
  readonly rest: Uint8Array;
  /** The native launcher. Empty: none. */
  readonly launcher: Uint8Array;
  readonly config: AgentConfig;
}

/** Runs the agent until its pipe ends; then ends all runs and the process. */
export async function start({ stdin, stdout, rest, launcher, config: given }: StartOptions): Promise<void> {
  process.title = "handrail-agent";
  const report = (error: unknown): void => {
    process.stderr.write(`handrail agent: ${error instanceof Error ? String(error.stack) : String(error)}\n`);
  };
  process.on("uncaughtException", report);
  process.on("unhandledRejection", report);
  process.stderr.on("error", () => undefined);
  ignoreSignals();
  await startThreadPool();
  const sweptProcesses = given.sweep ? await sweep(given.commandUid) : 0;
  const board = new DialBoard();
  const config = await withProxy(given, { board, onInternalError: report });
  process.chdir(config.runtimeDir);
  const { supervisor, reducedReason } = await createSupervisor({
    directory: config.runtimeDir,
    ...(launcher.byteLength > 0 && { binary: launcher }),
  });
  const registry = new RunRegistry();
  const unasked = setTimeout(() => process.exit(1), config.firstRequestMs);
  const disk = new DiskGuard({ ...config, directories: [config.workspaceRoot, config.homeDir] });
  const places = { ...config, roots: new ReadRoots(config) };
  const now = (): number => performance.now();
  const channel = serveAgent(
    new BufferedPipe({ input: stdin, output: stdout, rest }),
    {
      hello: createHelloHandler({
        buildId: HANDRAIL_BUILD_ID,
        workspaceRoot: config.workspaceRoot,
        reducedReason,
        sweptProcesses,
        livingRuns: () => registry.living().length,
        onAsked: () => clearTimeout(unasked),
        leftRuns: () => registry.living().filter(({ exited }) => exited).length,
      }),
      run: createRunHandler({
        ...{ config, supervisor, registry, disk, now },
        oomKills: openOomCounter(),
        isCrowded: openProcessRoom(),
        artifacts: new Artifacts(config),
      }),
      ...createKillHandlers(registry),
      readLines: createReadLinesHandler({ places, now }),
      readBytes: createReadBytesHandler(places),
      stat: createStatHandler(places),
      writeFile: createWriteFileHandler({ ...config, roots: writeRoots(config) }, disk),
      listTree: createListTreeHandler({ places, now }),
      ...createDialHandlers(board),
      dial: createDialHandler(),
    },
    { onInternalError: report },
  );
  await channel.closed;
  setTimeout(() => process.exit(1), endWithinMs).unref();
  await supervisor.close();
  process.exit(0);
}

/** Starts the proxy, if the configuration asks for one, and adds the variables by which commands find it. */
async function withProxy(
  config: AgentConfig,
  options: { board: DialBoard; onInternalError: (error: unknown) => void },
): Promise<AgentConfig> {
  if (config.proxyPort === undefined) return config;
  const { port } = await startProxy({ port: config.proxyPort, ...options });
  return { ...config, env: { ...config.env, ...proxyEnvironment(port) } };
}

/** The agent ends with its pipe, not by a signal that a command may send to all processes of its user. */
function ignoreSignals(): void {
  for (const signal of ["SIGHUP", "SIGINT", "SIGTERM", "SIGQUIT", "SIGALRM", "SIGUSR1", "SIGUSR2"] as const)
    process.on(signal, () => undefined);
}

/** Makes Node start its threads, which it cannot do any more, and dies of it, once the limit of processes is reached. */
async function startThreadPool(): Promise<void> {
  await stat("/");
}
