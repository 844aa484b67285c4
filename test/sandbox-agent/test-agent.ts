import { spawn } from "node:child_process";
import type { ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import type { DescMethodUnary, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { buildAgent } from "../../scripts/build-agent.mjs";
import { buildLauncher } from "../../scripts/build-launcher.mjs";
import { AgentService } from "../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { bootScript } from "../../src/sandbox/boot/boot-script.js";
import { sendBoot } from "../../src/sandbox/boot/send-boot.js";
import type { AgentClient } from "../../src/sandbox/channel/agent-client.js";
import type { AgentConfig } from "../../src/sandbox/channel/agent-config.js";
import { createAgentClient } from "../../src/sandbox/channel/create-agent-client.js";
import { ProcessPipe } from "../../src/sandbox/local/process-pipe.js";
import { RunRecord } from "./run-record.js";
import type { RunRecordOptions } from "./run-record.js";

/** What an agent is made of. */
export interface BuiltAgent {
  readonly bundle: Buffer;
  readonly launcher: Buffer;
  readonly buildId: string;
}

/** Builds the agent and its launcher from the sources. */
export async function buildParts(): Promise<BuiltAgent> {
  const outDir = mkdtempSync(join(tmpdir(), "handrail-agent-"));
  try {
    const { path, buildId } = await buildAgent({ outDir });
    const launcher = buildLauncher({ outDir });
    if ("reason" in launcher) throw new Error(`these tests need a C compiler: ${launcher.reason}`);
    return { bundle: readFileSync(path), launcher: readFileSync(launcher.path), buildId };
  } finally {
    rmSync(outDir, { recursive: true, force: true });
  }
}

/** Options of bootAgent. */
export interface BootAgentOptions {
  readonly parts: BuiltAgent;
  readonly config?: Partial<AgentConfig>;
  /** Default: true. */
  readonly withLauncher?: boolean;
  /** Program and arguments before `node -e …`. Default: none. */
  readonly wrapper?: readonly string[];
  /** User that the agent runs as. Default: the one of the test. */
  readonly uid?: number;
}

/** A real agent in a process of its own, with a workspace and a client. */
export class TestAgent {
  readonly client: AgentClient;
  readonly process: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly config: AgentConfig;
  readonly #directory: string;
  stderr = "";

  private constructor({ parts, config = {}, withLauncher = true, wrapper = [], uid }: BootAgentOptions) {
    this.#directory = realpathSync(mkdtempSync(join(tmpdir(), "handrail-sandbox-")));
    const at = (name: string): string => join(this.#directory, name);
    this.config = {
      workspaceRoot: at("w"),
      workspaceAliases: ["/workspace"],
      homeDir: at("home"),
      runtimeDir: at("run"),
      quotaBytes: 0,
      reserveBytes: 0,
      firstRequestMs: 60_000,
      artifactMs: 86_400_000,
      artifactBytes: 512 * 1024 * 1024,
      env: { PATH: process.env["PATH"] ?? "", LANG: "C.UTF-8" },
      readRoots: [at("w")],
      commandUid: uid ?? process.getuid?.() ?? 0,
      sweep: false,
      ...config,
    };
    chmodSync(this.#directory, 0o755);
    for (const name of ["w", "home", "run"]) {
      mkdirSync(at(name));
      chmodSync(at(name), 0o777);
    }
    const command = [...wrapper, process.execPath, "-e", bootScript];
    this.process = spawn(command[0] ?? "", command.slice(1), {
      stdio: ["pipe", "pipe", "pipe"],
      env: {},
      ...(uid !== undefined && { uid, gid: uid }),
    });
    this.process.stderr.on("data", (text: Buffer) => (this.stderr += text.toString()));
    const pipe = new ProcessPipe(this.process);
    const boot = sendBoot(pipe, {
      bundle: parts.bundle,
      ...(withLauncher && { launcher: parts.launcher }),
      config: this.config,
    });
    boot.catch((error: unknown) => (this.stderr += String(error)));
    this.client = createAgentClient(pipe);
  }

  static boot(options: BootAgentOptions): TestAgent {
    return new TestAgent(options);
  }

  get root(): string {
    return this.config.workspaceRoot;
  }

  call<M extends DescMethodUnary>(
    method: M,
    request: MessageInitShape<M["input"]>,
  ): Promise<MessageShape<M["output"]>> {
    return this.client.call(method, request, { signal: new AbortController().signal });
  }

  /** Starts a bash script. */
  run(script: string, options: RunRecordOptions = {}): RunRecord {
    return new RunRecord(this.client, { script: Buffer.from(script), argv: ["bash"], ...options });
  }

  /** Reads lines with roomy limits. */
  readLines(
    path: string,
    options: Partial<MessageInitShape<typeof AgentService.method.readLines.input>> = {},
  ): Promise<MessageShape<typeof AgentService.method.readLines.output>> {
    const limits = { firstLine: 1, maxLines: 1000, maxBytes: 100_000, maxLineBytes: 10_000, scanMs: 2000 };
    return this.call(AgentService.method.readLines, { path, ...limits, ...options } as never);
  }

  /** Closes the channel and waits until the agent has ended. */
  async stop(): Promise<void> {
    this.client.close();
    if (this.process.exitCode === null && this.process.signalCode === null) await once(this.process, "exit");
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
