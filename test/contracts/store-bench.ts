import { afterAll, beforeAll } from "vitest";
import type { StateEntry, StateKey, StateStore } from "../../src/state/store.js";

/** A store under test that is empty, and what takes it away once it is closed. */
export interface StoreUnderTest {
  readonly store: StateStore;
  readonly cleanUp: () => Promise<void>;
}

/** Makes a store under test. */
export type OpenStore = () => Promise<StoreUnderTest>;

/** A text as a value. */
export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** A value as a text. */
export function textOf(value: Uint8Array | undefined): string | undefined {
  return value === undefined ? undefined : new TextDecoder().decode(value);
}

/** What the keys of entries are named by. */
export function partsOf(entries: readonly StateEntry[]) {
  return entries.map(({ key }) => key.parts);
}

let spaces = 0;

/** A space that no other test uses. */
export function newSpace(): string {
  spaces += 1;
  return `space-${spaces}`;
}

/** A key in a space that no other test uses. */
export function newKey(): StateKey {
  return { space: newSpace(), parts: ["tenant", "project", "id"] };
}

/** The change that puts a text. */
export function put(key: StateKey, value: string) {
  return { key, put: bytesOf(value) };
}

/** One store for the tests of the describe block that this is called in. */
export function storeBench(open: OpenStore) {
  let under: StoreUnderTest;
  beforeAll(async () => {
    under = await open();
  });
  afterAll(async () => {
    await under.store.close();
    await under.cleanUp();
  });
  const store: StateStore = {
    get: (key) => under.store.get(key),
    commit: (changes) => under.store.commit(changes),
    list: (options) => under.store.list(options),
    close: () => under.store.close(),
  };
  return {
    store,
    /** The text of a record. */
    read: async (key: StateKey) => textOf((await store.get(key))?.value),
    versionOf: async (key: StateKey) => (await store.get(key))?.version ?? "",
    listed: async (options: Parameters<StateStore["list"]>[0]): Promise<StateEntry[]> => {
      const entries: StateEntry[] = [];
      for await (const entry of store.list(options)) entries.push(entry);
      return entries;
    },
  };
}
