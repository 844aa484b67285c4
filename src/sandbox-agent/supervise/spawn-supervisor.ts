import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { join } from "node:path";
import { startTicksOf } from "./process-table.js";
import { markedEnvironment } from "./run-environment.js";
import { type ScriptFile, writeScriptFile } from "./script-file.js";
import { SpawnedRun } from "./spawned-run.js";
import { type StartStage, startFailure } from "./start-failure.js";
import {
  type ProcessListener,
  type ProcessSpec,
  StartError,
  type SupervisedRun,
  type Supervisor,
} from "./supervisor.js";

/** Options of SpawnSupervisor. */
export interface SpawnSupervisorOptions {
  /** Absolute path of a private directory, for scripts. */
  readonly directory: string;
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "EINVAL";
}

/** Reduced supervision: processes are found by their group and their marker alone. */
export class SpawnSupervisor implements Supervisor {
  readonly supervision = "reduced";
  readonly #directory: string;
  readonly #runs = new Set<SpawnedRun>();
  #scripts = 0;
  #closed = false;

  constructor({ directory }: SpawnSupervisorOptions) {
    this.#directory = directory;
  }

  async start(spec: ProcessSpec, listener: ProcessListener): Promise<SupervisedRun> {
    if (this.#closed) throw new StartError("internal", "the supervisor is closed");
    const env = markedEnvironment(spec);
    this.#attempt(spec, "cwd", () => {
      if (!statSync(spec.cwd).isDirectory())
        throw Object.assign(new Error("not a directory"), { code: "ENOTDIR" });
      accessSync(spec.cwd, constants.X_OK);
    });
    const script = this.#attempt(spec, "script", () => this.#writeScript(spec));
    try {
      const [program = "", ...args] = script === undefined ? spec.argv : [...spec.argv, script.path];
      const child = this.#attempt(spec, "exec", () =>
        spawn(program, args, {
          cwd: spec.cwd,
          env,
          detached: true,
          stdio: [spec.stdin === "pipe" ? "pipe" : "ignore", "pipe", "pipe"],
        }),
      );
      return await this.#begin(child, { spec, listener, script });
    } catch (error) {
      script?.remove();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    const runs = [...this.#runs];
    await Promise.all(runs.map((run) => run.kill({ graceMs: 0 })));
    await Promise.all(runs.map((run) => run.ended));
  }

  #attempt<T>(spec: ProcessSpec, stage: StartStage, action: () => T): T {
    try {
      return action();
    } catch (error) {
      throw startFailure(spec, { stage, code: codeOf(error) });
    }
  }

  #writeScript({ script }: ProcessSpec): ScriptFile | undefined {
    if (script === undefined) return undefined;
    return writeScriptFile(join(this.#directory, `s${process.pid}-${++this.#scripts}`), script);
  }

  #begin(
    child: ChildProcess,
    {
      spec,
      listener,
      script,
    }: { spec: ProcessSpec; listener: ProcessListener; script: ScriptFile | undefined },
  ): Promise<SupervisedRun> {
    return new Promise((resolve, reject) => {
      child.on("error", (error) => reject(startFailure(spec, { stage: "exec", code: codeOf(error) })));
      const { pid } = child;
      if (pid === undefined) return;
      const trace = { runId: spec.runId, groupId: pid, sinceTicks: startTicksOf(pid) };
      const run = new SpawnedRun({ child, trace, listener, onProcessEnd: () => script?.remove() });
      this.#runs.add(run);
      void run.ended.then(() => this.#runs.delete(run));
      listener.onStarted(pid);
      resolve(run);
    });
  }
}
