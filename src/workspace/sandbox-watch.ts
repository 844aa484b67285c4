import { setTimeout as sleep } from "node:timers/promises";
import { ChannelLost } from "../sandbox/channel/agent-client.js";
import type { AgentClient } from "../sandbox/channel/agent-client.js";
import type { Sandbox, SandboxProvider, SandboxState } from "../sandbox/provider.js";
import { SandboxLost } from "./workspace.js";
import type { Begun, LossKind } from "./workspace.js";

/** Silence of the agent after which the engine is asked about the sandbox, in ms, and the time between further questions. */
const SILENCE_MS = 500;
const ASK_AGAIN_MS = 1000;

/** Time that an engine may need to notice that a sandbox died with its agent, in ms. */
const SETTLE_MS = 150;

/** A stopped sandbox is started again, with its storage: what was lost with it is the agent and all processes. */
const LOSSES: Readonly<Record<SandboxState, LossKind>> = {
  running: "agent",
  paused: "agent",
  stopped: "agent",
  restarting: "agent",
  gone: "sandbox",
  unreachable: "engine",
};

/** Looks after the sandbox of one agent: tells losses apart and wakes a paused sandbox that is needed. */
export class SandboxWatch {
  readonly #provider: SandboxProvider;
  readonly #sandbox: Sandbox;
  readonly #client: AgentClient;
  #lossKind: Promise<LossKind> | undefined;

  constructor(options: { provider: SandboxProvider; sandbox: Sandbox; client: AgentClient }) {
    this.#provider = options.provider;
    this.#sandbox = options.sandbox;
    this.#client = options.client;
  }

  /** Turns what an agent call rejects with into what the workspace throws; `begun` says whether work had begun. */
  async nameLoss(error: unknown, begun: Begun): Promise<Error> {
    if (!(error instanceof ChannelLost)) return error instanceof Error ? error : new Error(String(error));
    this.#lossKind ??= this.#askLossKind();
    const { generation } = this.#sandbox;
    return new SandboxLost(await this.#lossKind, { begun, generation, cause: error });
  }

  /**
   * Waits for an answer of the agent. While it does not come, a paused sandbox is unpaused, and the channel to one that
   * has stopped or gone is closed.
   */
  async answer<T>(promise: Promise<T>): Promise<T> {
    const stop = this.expectAnswer();
    try {
      return await promise;
    } finally {
      stop();
    }
  }

  /** Begins to look after an answer as `answer` does, until the function that it returns is called. */
  expectAnswer(): () => void {
    let looking: AbortController | undefined;
    const look = async (): Promise<void> => {
      const { signal } = (looking ??= new AbortController());
      await this.#look(signal);
      if (!signal.aborted) timer = setTimeout(() => void look(), ASK_AGAIN_MS);
    };
    let timer = setTimeout(() => void look(), SILENCE_MS);
    return () => {
      looking?.abort();
      clearTimeout(timer);
    };
  }

  async #look(signal: AbortSignal): Promise<void> {
    const state = await this.#provider.state(this.#sandbox);
    if (signal.aborted) return;
    if (state === "gone" || state === "stopped") this.#client.close();
    if (state !== "paused") return;
    const { key, generation } = this.#sandbox;
    try {
      await this.#provider.getOrCreate(key, { nextGeneration: generation + 1, signal });
    } catch {
      // The next look asks again; a sandbox that stays paused ends by the clock of the call.
      return;
    }
  }

  async #askLossKind(): Promise<LossKind> {
    const state = await this.#provider.state(this.#sandbox);
    if (state !== "running") return LOSSES[state];
    await sleep(SETTLE_MS);
    return LOSSES[await this.#provider.state(this.#sandbox)];
  }
}
