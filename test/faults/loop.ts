import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import type { Client } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import type { CallEvent } from "../../gen/handrail/v1/events_pb.js";
import type { Result } from "../../gen/handrail/v1/result_pb.js";
import { CallState, OnDisconnect, ToolService } from "../../gen/handrail/v1/tool_service_pb.js";
import type { CallRecord } from "./call-record.js";
import type { FaultService } from "./fault-service.js";

/** Statuses after which the same request cannot succeed. */
const FINAL: readonly Code[] = [
  Code.InvalidArgument,
  Code.AlreadyExists,
  Code.PermissionDenied,
  Code.Unauthenticated,
  Code.FailedPrecondition,
  Code.Unimplemented,
];

const RETRY_MS = 50;

/** What a loop came to with a call. */
export interface Ran {
  readonly callId: string;
  readonly result: Result;
  /** Output of the call, as far as a stream brought it. */
  readonly output: string;
  readonly elapsedMs: number;
  /** Statuses that its RPCs ended with on the way. */
  readonly refusals: readonly ConnectError[];
}

/** How a loop runs a call. */
export interface RunOptions {
  /** Hears of every event as it comes. */
  readonly onEvent?: (event: CallEvent) => void;
}

/**
 * An agent's loop on one project that never gives a call up: it asks for a call whose stream broke, attaches to one that
 * runs, and sends one that the service does not know again under the same id.
 */
export class Loop {
  readonly #service: FaultService;
  readonly #records: CallRecord[];
  readonly projectId: string;
  readonly #clients = new Map<string, Client<typeof ToolService>>();

  constructor(options: { service: FaultService; projectId: string; records: CallRecord[] }) {
    this.#service = options.service;
    this.#records = options.records;
    this.projectId = options.projectId;
  }

  /** Runs a command whose first act is to bear witness of its call. */
  async run(body: string, { onEvent }: RunOptions = {}): Promise<Ran> {
    const { projectId } = this;
    const callId = randomUUID();
    const record: CallRecord = { callId, projectId, results: [], sends: 0 };
    this.#records.push(record);
    const startedAt = performance.now();
    const refusals: ConnectError[] = [];
    let output = "";
    const read = async (stream: AsyncIterable<{ event?: CallEvent | undefined }>) => {
      for await (const { event } of stream) {
        if (event === undefined) continue;
        if (event.event.case === "output") output += Buffer.from(event.event.value.data).toString();
        if (event.event.case === "result") record.results.push(event.event.value);
        onEvent?.(event);
      }
    };
    const send = (tools: Client<typeof ToolService>) => {
      record.sends += 1;
      const command = `echo ${callId} >> /workspace/witness; ${body}`;
      return tools.executeTool({
        context: { projectId, turnId: randomUUID() },
        tool: "bash",
        input: { case: "arguments", value: { command } },
        callId,
        onDisconnect: OnDisconnect.DETACH,
      });
    };
    for (let isKnown = false; ; isKnown = await this.#isKnown(callId)) {
      const tools = await this.#tools();
      try {
        if (isKnown) output = "";
        await read(isKnown ? tools.attachCall({ projectId, callId }) : send(tools));
      } catch (error) {
        refusals.push(transient(error));
        await sleep(RETRY_MS);
      }
      const [result] = record.results;
      if (result !== undefined)
        return { callId, result, output, elapsedMs: performance.now() - startedAt, refusals };
    }
  }

  /** The result that the service has of a call; undefined if it does not know the call or has none. */
  async resultOf(callId: string): Promise<Result | undefined> {
    const { result } = await this.#get(callId);
    return result;
  }

  async #isKnown(callId: string): Promise<boolean> {
    return (await this.#get(callId)).state !== CallState.UNSPECIFIED;
  }

  async #get(callId: string): Promise<{ state: CallState; result?: Result | undefined }> {
    for (;;) {
      const tools = await this.#tools();
      try {
        return await tools.getCall({ projectId: this.projectId, callId });
      } catch (error) {
        if (transient(error).code === Code.NotFound) return { state: CallState.UNSPECIFIED };
        await sleep(RETRY_MS);
      }
    }
  }

  async #tools(): Promise<Client<typeof ToolService>> {
    const baseUrl = await this.#service.url;
    const known = this.#clients.get(baseUrl);
    if (known !== undefined) return known;
    const made = createClient(ToolService, createGrpcTransport({ baseUrl }));
    this.#clients.clear();
    this.#clients.set(baseUrl, made);
    return made;
  }
}

/** The status of an RPC that may be tried again. Throws any other. */
function transient(error: unknown): ConnectError {
  const status = ConnectError.from(error);
  if (FINAL.includes(status.code)) throw status;
  return status;
}
