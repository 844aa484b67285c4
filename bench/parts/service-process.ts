import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { chmod, mkdtemp, open, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { removeSandboxes } from "./docker-engine.js";
import { killTree } from "./proc.js";

/** Where the sandboxes of a measured service are. */
export type Kind = "docker" | "local";

/** Longest wait for the service to listen or to end, in ms. */
const PATIENCE_MS = 30_000;

/** The built service, as a process of its own with an installation of its own. */
export class ServiceProcess {
  readonly kind: Kind;
  readonly url: string;
  /** Name of the installation, which stands in the labels of its containers. */
  readonly instance: string;
  readonly #child: ChildProcess;
  readonly #dataDir: string;

  private constructor(options: {
    kind: Kind;
    url: string;
    instance: string;
    child: ChildProcess;
    dataDir: string;
  }) {
    this.kind = options.kind;
    this.url = options.url;
    this.instance = options.instance;
    this.#child = options.child;
    this.#dataDir = options.dataDir;
  }

  /**
   * Starts it from `dist` on a free port, with the settings it has by itself; its log goes to a file. `nodeArguments` go
   * to Node, as for a profile.
   */
  static async start(kind: Kind, nodeArguments: readonly string[] = []): Promise<ServiceProcess> {
    const dataDir = await mkdtemp(join(tmpdir(), "handrail-bench-"));
    await chmod(dataDir, 0o755);
    const instance = `bench-${randomUUID().slice(0, 8)}`;
    const program = fileURLToPath(new URL("../../dist/handrail.js", import.meta.url));
    const logPath = join(dataDir, "service.log");
    const log = await open(logPath, "w");
    const child = spawn(process.execPath, [...nodeArguments, program, "serve"], {
      stdio: ["ignore", "pipe", log.fd],
      env: {
        PATH: process.env["PATH"] ?? "",
        HANDRAIL_PORT: "0",
        HANDRAIL_SANDBOX: kind,
        HANDRAIL_INSTANCE: instance,
        HANDRAIL_DATA_DIR: dataDir,
        HANDRAIL_DRAIN_MS: "0",
      },
    });
    await log.close();
    const url = await listeningUrl(child);
    if (url === undefined) {
      child.kill("SIGKILL");
      const how = `exit code ${child.exitCode ?? "none"}, signal ${child.signalCode ?? "none"}`;
      const said = await readFile(logPath, "utf8");
      await rm(dataDir, { recursive: true, force: true });
      throw new Error(`the service did not start (${how}):\n${said}`);
    }
    return new ServiceProcess({ kind, url, instance, child, dataDir });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Drains it and removes its sandboxes, volumes and files. */
  async close(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const timer = setTimeout(() => killTree(this.pid), PATIENCE_MS);
      const ended = once(this.#child, "exit");
      this.#child.kill("SIGTERM");
      await ended;
      clearTimeout(timer);
    }
    await rm(this.#dataDir, { recursive: true, force: true });
    if (this.kind === "docker") await removeSandboxes(this.instance);
  }
}

/** The address that the service prints; undefined if it ends, or takes too long, before. */
async function listeningUrl(child: ChildProcess): Promise<string | undefined> {
  if (child.stdout === null) throw new Error("the service has no output");
  const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const url = /serves at (\S+)/.exec(line)?.[1];
      if (url === undefined) continue;
      child.stdout.resume();
      return url;
    }
  } finally {
    clearTimeout(timer);
  }
  return undefined;
}
