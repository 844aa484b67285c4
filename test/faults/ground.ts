import { randomInt, randomUUID } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import Docker from "dockerode";
import type { Result } from "../../gen/handrail/v1/result_pb.js";
import { containerName } from "../../src/sandbox/docker/labels.js";
import { localTenant } from "../../src/server/authenticate.js";
import { EngineProxy } from "../sandbox/docker/engine-proxy.js";
import { removeContainers } from "../support/service.js";
import type { CallRecord } from "./call-record.js";
import { FaultService } from "./fault-service.js";
import { judgeCalls } from "./judgement.js";
import type { Judgement } from "./judgement.js";
import { Loop } from "./loop.js";
import { miscountsOf, readCounters } from "./service-counters.js";
import { containersOf, processesOf, witnessedCalls } from "./witness.js";

/** How long processes have to end after their service, in ms: an agent takes no more than 8,000. */
const PROCESSES_END_MS = 40_000;

/** A service with an installation of its own, the loops that use it, and what was done to it. */
export class Ground {
  readonly instance = `faults-${randomUUID().slice(0, 8)}`;
  readonly engine: EngineProxy;
  readonly service: FaultService;
  readonly #dataDir: string;
  /** Digits that begin the time of every marked `sleep`. */
  readonly #mark = `7${randomInt(1e7, 1e8)}`;
  readonly #records: CallRecord[] = [];
  readonly #loops = new Map<string, Loop>();
  #marks = 0;
  #kills = 0;
  #serviceKills = 0;
  #surelyRecovered = 0;
  #removals = 0;

  private constructor(options: {
    engine: EngineProxy;
    dataDir: string;
    environment: Readonly<Record<string, string>>;
  }) {
    this.engine = options.engine;
    this.#dataDir = options.dataDir;
    this.service = new FaultService({
      HANDRAIL_SANDBOX: "docker",
      HANDRAIL_INSTANCE: this.instance,
      HANDRAIL_DATA_DIR: options.dataDir,
      HANDRAIL_SANDBOX_MEMORY_MIB: "256",
      DOCKER_HOST: `unix://${options.engine.socketPath}`,
      ...options.environment,
    });
  }

  /** Starts a service. Dispose of the ground in any case. */
  static async open(environment: Readonly<Record<string, string>> = {}): Promise<Ground> {
    const dataDir = await mkdtemp(join(tmpdir(), "handrail-faults-"));
    await chmod(dataDir, 0o755);
    const engine = new EngineProxy();
    await engine.mend();
    const ground = new Ground({ engine, dataDir, environment });
    try {
      await ground.service.start();
      return ground;
    } catch (error) {
      await ground.dispose();
      throw error;
    }
  }

  /** A loop on a new project. */
  loop(): Loop {
    const projectId = `p-${randomUUID().slice(0, 8)}`;
    const loop = new Loop({ service: this.service, projectId, records: this.#records });
    this.#loops.set(projectId, loop);
    return loop;
  }

  /** The container of a loop's project. */
  container(loop: Loop): Docker.Container {
    return new Docker().getContainer(this.#nameOf(loop));
  }

  /** A command that sleeps for longer than any test, and is known by its arguments. */
  markedSleep(): string {
    this.#marks += 1;
    return `sleep ${this.#mark}${this.#marks}`;
  }

  /** Does something bad, and counts it. `removes`: a container that the next call has to
   * replace; `isRaced`: a call may meet the removal half done. Default of both: false. */
  async strike(fault: () => Promise<unknown>, { removes = false, isRaced = false } = {}): Promise<void> {
    this.#kills += 1;
    if (removes) this.#removals += 1;
    if (removes && !isRaced) this.#surelyRecovered += 1;
    await fault();
  }

  /** Kills the service and starts it again. */
  async killService(): Promise<void> {
    this.#serviceKills += 1;
    await this.strike(() => this.service.kill());
    await this.service.start();
  }

  /** Ends the service, then judges all calls of the ground by what is left of them. */
  async judge(): Promise<Judgement> {
    const kept = new Map<string, Result | undefined>();
    for (const { callId, projectId } of this.#records)
      kept.set(callId, await this.#loops.get(projectId)?.resultOf(callId));
    const counters = await readCounters(await this.service.url);
    await this.service.stop();
    const orphans = await this.#orphans();
    const witnessed = await witnessedCalls(this.instance);
    const judged = judgeCalls(this.#records, { witnessed, kept });
    const seen = {
      outcomes: judged.outcomes,
      recoveries: { least: this.#surelyRecovered, most: this.#removals },
    };
    const miscounts = this.#serviceKills > 0 ? [] : miscountsOf(counters, seen);
    return { kills: this.#kills, orphans, miscounts, ...judged };
  }

  /** Ends the service and removes everything that it made. */
  async dispose(): Promise<void> {
    await this.service.dispose();
    await removeContainers(this.instance);
    await this.engine.remove();
    await rm(this.#dataDir, { recursive: true, force: true });
  }

  /** Processes of the ground's commands and agents, as the machine sees them. */
  async processes(): Promise<string[]> {
    const containers = await containersOf(this.instance);
    return processesOf({ mark: this.#mark, containerIds: containers.map(({ Id }) => Id) });
  }

  async #orphans(): Promise<string[]> {
    const owned = new Set([...this.#loops.values()].map((loop) => `/${this.#nameOf(loop)}`));
    const names = (await containersOf(this.instance)).flatMap(({ Names }) => Names);
    const strays = names.filter((name) => !owned.has(name));
    const deadline = performance.now() + PROCESSES_END_MS;
    let processes = await this.processes();
    while (processes.length > 0 && performance.now() < deadline) {
      await sleep(100);
      processes = await this.processes();
    }
    return [...strays, ...processes.map((process) => `${this.instance}: ${process}`)];
  }

  #nameOf({ projectId }: Loop): string {
    return containerName({ tenant: localTenant, project: projectId }, this.instance);
  }
}
