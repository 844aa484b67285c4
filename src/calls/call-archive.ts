import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { z } from "zod";
import { ResultSchema } from "../../gen/handrail/v1/result_pb.js";
import type { Result } from "../../gen/handrail/v1/result_pb.js";
import type { StateChange, StateKey, StateStore } from "../state/store.js";
import { endedCall } from "./call.js";
import type { Call, CallFacts, ProjectKey } from "./call.js";
import { interruptedResult } from "./result-message.js";

/** Where calls outlive the process of the service. */
export interface CallArchive {
  /** Writes a call ahead of its start. False if its id is taken. Throws StateError. */
  open(call: Call): Promise<boolean>;
  /** Writes the result of a call. Throws StateError. */
  close(call: Call, result: Result): Promise<void>;
  /** A call that has ended. One that an earlier process left open ended with it, as INTERRUPTED. */
  find(key: ProjectKey, id: string): Promise<Call | undefined>;
  knowsProject(key: ProjectKey): Promise<boolean>;
  forgetProject(key: ProjectKey): Promise<void>;
}

/** Options of storedArchive. */
export interface StoredArchiveOptions {
  readonly store: StateStore;
  /** How long a call is kept, in ms. */
  readonly keptMs: number;
  /** Hears of each call that an earlier process had left open. */
  readonly onInterrupted?: () => void;
  readonly now?: () => number;
}

const FACTS = z.object({
  fingerprint: z.string(),
  tool: z.string(),
  toolCallId: z.string(),
  sessionId: z.string(),
  userId: z.string(),
  turnId: z.string(),
  mode: z.enum(["plan", "build"]),
  limits: z.object({
    queueMs: z.number(),
    runMs: z.number(),
    workMs: z.number(),
    deadlineMs: z.number(),
    idleMs: z.number(),
    maxTextBytes: z.number(),
    keep: z.enum(["head", "tail", "both"]).optional(),
  }),
  createdAtMs: z.number(),
  sourceId: z.string(),
  onDisconnect: z.enum(["cancel", "detach"]),
  detachedMs: z.number(),
});

/** Bytes before a stored result: its seq and the generation of its sandbox. */
const END_BYTES = 8;

const REMOVED_AT_ONCE = 500;

/**
 * Keeps calls in a state store: a small record written ahead of the start, and the end beside it. A call without an end
 * that no longer runs in this process was interrupted.
 */
export function storedArchive(options: StoredArchiveOptions): CallArchive {
  const { store, keptMs, onInterrupted, now = Date.now } = options;
  const knownProjects = new Set<string>();

  const projectChanges = (key: ProjectKey): StateChange[] =>
    knownProjects.has(projectText(key))
      ? []
      : [{ key: projectKey(key), put: Buffer.from(JSON.stringify({ atMs: now() })) }];

  const expiresAtMs = (): number => now() + keptMs;

  const endOf = ({ key, id }: CallFacts, end: CallEnd, ifVersion?: string): StateChange => ({
    key: callKey("result", key, id),
    put: encodeEnd(end),
    expiresAtMs: expiresAtMs(),
    ...(ifVersion === undefined ? {} : { ifVersion }),
  });

  const findEnd = async (key: ProjectKey, id: string): Promise<CallEnd | undefined> => {
    const stored = await store.get(callKey("result", key, id));
    return stored === undefined ? undefined : decodeEnd(stored.value);
  };

  return {
    async open({ facts }) {
      const { key, id, ...kept } = facts;
      const put = Buffer.from(JSON.stringify(kept));
      const record = { key: callKey("call", key, id), put, ifVersion: "", expiresAtMs: expiresAtMs() };
      if (!(await store.commit([record, ...projectChanges(key)]))) return false;
      knownProjects.add(projectText(key));
      return true;
    },
    async close({ facts, journal, run }, result) {
      const { generation } = run;
      await store.commit([endOf(facts, { result, lastSeq: journal.lastSeq + 1, generation })]);
    },
    async find(key, id) {
      const stored = await store.get(callKey("call", key, id));
      if (stored === undefined) return undefined;
      const kept = FACTS.parse(JSON.parse(Buffer.from(stored.value).toString()));
      const { keep, ...limits } = kept.limits;
      const facts: CallFacts = { ...kept, key, id, limits: { ...limits, keep } };
      const end = await findEnd(key, id);
      if (end !== undefined) return endedCall(facts, end);
      const interrupted = { result: interruptedResult(), lastSeq: 1, generation: 0 };
      if (!(await store.commit([endOf(facts, interrupted, "")]))) {
        const written = await findEnd(key, id);
        return endedCall(facts, written ?? interrupted);
      }
      onInterrupted?.();
      return endedCall(facts, interrupted);
    },
    async knowsProject(key) {
      return (await store.get(projectKey(key))) !== undefined;
    },
    async forgetProject(key) {
      knownProjects.delete(projectText(key));
      for (const space of ["call", "result"]) {
        let batch: StateChange[] = [];
        for await (const entry of store.list({ space, prefix: [key.tenant, key.project] })) {
          batch.push({ key: entry.key, remove: true });
          if (batch.length < REMOVED_AT_ONCE) continue;
          await store.commit(batch);
          batch = [];
        }
        await store.commit(batch);
      }
      await store.commit([{ key: projectKey(key), remove: true }]);
    },
  };
}

/** Keeps each result before it is told. One that cannot be kept is told all the same; the log says so. */
export function keepResults(
  archive: CallArchive,
  log: { error(fields: object, message: string): void },
): (call: Call, result: Result) => Promise<void> {
  return async (call, result) => {
    try {
      await archive.close(call, result);
    } catch (error) {
      log.error({ err: error, call_id: call.id }, "the result of a call could not be kept");
    }
  };
}

/** How a call ended. */
interface CallEnd {
  readonly result: Result;
  readonly lastSeq: number;
  readonly generation: number;
}

function encodeEnd({ result, lastSeq, generation }: CallEnd): Uint8Array {
  const head = Buffer.alloc(END_BYTES);
  head.writeInt32BE(lastSeq, 0);
  head.writeInt32BE(generation, 4);
  return Buffer.concat([head, toBinary(ResultSchema, result)]);
}

function decodeEnd(stored: Uint8Array): CallEnd {
  const head = Buffer.from(stored.subarray(0, END_BYTES));
  return {
    result: fromBinary(ResultSchema, stored.subarray(END_BYTES)),
    lastSeq: head.readInt32BE(0),
    generation: head.readInt32BE(4),
  };
}

function callKey(space: "call" | "result", { tenant, project }: ProjectKey, id: string): StateKey {
  return { space, parts: [tenant, project, id] };
}

function projectKey({ tenant, project }: ProjectKey): StateKey {
  return { space: "project", parts: [tenant, project] };
}

function projectText({ tenant, project }: ProjectKey): string {
  return `${tenant}\0${project}`;
}
