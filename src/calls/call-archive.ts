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

const RECORD = z.object({
  facts: FACTS,
  /** Absent while the call has not ended. */
  end: z.object({ lastSeq: z.number(), generation: z.number() }).optional(),
});

type CallRecord = z.infer<typeof RECORD>;

const REMOVED_AT_ONCE = 500;

/** Keeps calls in a state store: a small record written ahead of the start, and the result beside it. */
export function storedArchive(options: StoredArchiveOptions): CallArchive {
  const { store, keptMs, onInterrupted, now = Date.now } = options;
  const knownProjects = new Set<string>();

  const projectChanges = (key: ProjectKey): StateChange[] =>
    knownProjects.has(projectText(key)) ? [] : [{ key: projectKey(key), put: encode({ atMs: now() }) }];

  const changesOf = (facts: CallFacts, end?: { result: Result; lastSeq: number; generation: number }) => {
    const { key, id, ...kept } = facts;
    const expiresAtMs = now() + keptMs;
    const call: CallRecord = {
      facts: { ...kept, limits: { ...kept.limits } },
      ...(end === undefined ? {} : { end: { lastSeq: end.lastSeq, generation: end.generation } }),
    };
    const changes: StateChange[] = [{ key: callKey("call", key, id), put: encode(call), expiresAtMs }];
    if (end !== undefined)
      changes.push({
        key: callKey("result", key, id),
        put: toBinary(ResultSchema, end.result),
        expiresAtMs,
      });
    return changes;
  };

  return {
    async open({ facts }) {
      const [record, ...rest] = changesOf(facts);
      if (record === undefined) return false;
      const changes = [{ ...record, ifVersion: "" }, ...rest, ...projectChanges(facts.key)];
      if (!(await store.commit(changes))) return false;
      knownProjects.add(projectText(facts.key));
      return true;
    },
    async close({ facts, journal, run }, result) {
      const lastSeq = journal.lastSeq + 1;
      await store.commit(changesOf(facts, { result, lastSeq, generation: run.generation }));
    },
    async find(key, id): Promise<Call | undefined> {
      const stored = await store.get(callKey("call", key, id));
      if (stored === undefined) return undefined;
      const { facts: kept, end } = RECORD.parse(JSON.parse(Buffer.from(stored.value).toString()));
      const { keep, ...limits } = kept.limits;
      const facts: CallFacts = { ...kept, key, id, limits: { ...limits, keep } };
      const result = end === undefined ? undefined : await store.get(callKey("result", key, id));
      if (end !== undefined && result !== undefined)
        return endedCall(facts, { ...end, result: fromBinary(ResultSchema, result.value) });
      const interrupted = { result: interruptedResult(), lastSeq: 1, generation: 0 };
      const [record, ...rest] = changesOf(facts, interrupted);
      const changes = record === undefined ? rest : [{ ...record, ifVersion: stored.version }, ...rest];
      if (!(await store.commit(changes))) return this.find(key, id);
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

function callKey(space: "call" | "result", { tenant, project }: ProjectKey, id: string): StateKey {
  return { space, parts: [tenant, project, id] };
}

function projectKey({ tenant, project }: ProjectKey): StateKey {
  return { space: "project", parts: [tenant, project] };
}

function projectText({ tenant, project }: ProjectKey): string {
  return `${tenant}\0${project}`;
}

function encode(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}
