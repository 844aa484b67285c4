import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { StateEntry, StateKey, StateStore } from "../../src/state/store.js";

/** A store under test that is empty, and what takes it away once it is closed. */
export interface StoreUnderTest {
  readonly store: StateStore;
  readonly cleanUp: () => Promise<void>;
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (value: Uint8Array | undefined): string | undefined =>
  value === undefined ? undefined : new TextDecoder().decode(value);

/** What every state store does. */
export function stateStoreContract(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`${name} as a state store`, () => {
    let under: StoreUnderTest;
    let store: StateStore;
    let spaces = 0;

    /** A space that no other test uses. */
    const newSpace = (): string => `space-${(spaces += 1)}`;
    const newKey = (): StateKey => ({ space: newSpace(), parts: ["tenant", "project", "id"] });
    const put = (key: StateKey, value: string) => ({ key, put: bytes(value) });
    const read = async (key: StateKey) => text((await store.get(key))?.value);
    const versionOf = async (key: StateKey) => (await store.get(key))?.version ?? "";
    const listed = async (options: Parameters<StateStore["list"]>[0]): Promise<StateEntry[]> => {
      const entries: StateEntry[] = [];
      for await (const entry of store.list(options)) entries.push(entry);
      return entries;
    };
    const partsOf = (entries: readonly StateEntry[]) => entries.map(({ key }) => key.parts);

    beforeAll(async () => {
      under = await open();
      store = under.store;
    });

    afterAll(async () => {
      await store.close();
      await under.cleanUp();
    });

    it("has nothing where nothing was put", async () => {
      expect(await store.get(newKey())).toBeUndefined();
    });

    it("gives what was put last", async () => {
      const key = newKey();
      expect(await store.commit([put(key, "one")])).toBe(true);
      expect(await store.commit([put(key, "two")])).toBe(true);
      expect(await read(key)).toBe("two");
    });

    it("removes a record, and does not mind if there is none", async () => {
      const key = newKey();
      await store.commit([put(key, "one")]);
      expect(await store.commit([{ key, remove: true }])).toBe(true);
      expect(await store.get(key)).toBeUndefined();
      expect(await store.commit([{ key, remove: true }])).toBe(true);
    });

    it("keeps an empty value", async () => {
      const key = newKey();
      await store.commit([put(key, "")]);
      expect((await store.get(key))?.value).toHaveLength(0);
    });

    it("keeps a value of 2 MiB and one of 4 MiB", async () => {
      for (const mebibytes of [2, 4]) {
        const key = newKey();
        const value = Uint8Array.from({ length: mebibytes * 1024 * 1024 }, (_, i) => (i * 31) % 251);
        await store.commit([{ key, put: value }]);
        expect(Buffer.compare((await store.get(key))?.value ?? bytes(""), value)).toBe(0);
      }
    });

    it("rejects a value above 4 MiB and names the limit", async () => {
      const put = new Uint8Array(4 * 1024 * 1024 + 1);
      await expect(store.commit([{ key: newKey(), put }])).rejects.toThrow(
        new RangeError("a state value of 4194305 bytes is above the limit of 4194304"),
      );
    });

    it("does nothing, with success, where there is nothing to commit", async () => {
      expect(await store.commit([])).toBe(true);
    });

    it("changes the version with every write, also of the same value", async () => {
      const key = newKey();
      const versions = new Set<string>();
      for (let i = 0; i < 5; i += 1) {
        await store.commit([put(key, "same")]);
        versions.add(await versionOf(key));
      }
      expect(versions.size).toBe(5);
      expect(versions).not.toContain("");
    });

    it("does not give a record that was removed and made anew its old version", async () => {
      const key = newKey();
      await store.commit([put(key, "one")]);
      const old = await versionOf(key);
      await store.commit([{ key, remove: true }]);
      await store.commit([put(key, "one")]);
      expect(await store.commit([{ ...put(key, "two"), ifVersion: old }])).toBe(false);
    });

    it("creates a record only if there is none", async () => {
      const key = newKey();
      expect(await store.commit([{ ...put(key, "one"), ifVersion: "" }])).toBe(true);
      expect(await store.commit([{ ...put(key, "two"), ifVersion: "" }])).toBe(false);
      expect(await read(key)).toBe("one");
    });

    it("changes a record only if it has the version that was read", async () => {
      const key = newKey();
      await store.commit([put(key, "one")]);
      const seen = await versionOf(key);
      expect(await store.commit([{ ...put(key, "two"), ifVersion: seen }])).toBe(true);
      expect(await store.commit([{ ...put(key, "three"), ifVersion: seen }])).toBe(false);
      expect(await store.commit([{ key, remove: true, ifVersion: seen }])).toBe(false);
      expect(await read(key)).toBe("two");
      expect(await store.commit([{ key, remove: true, ifVersion: await versionOf(key) }])).toBe(true);
      expect(await store.get(key)).toBeUndefined();
    });

    it("does not change a record that is not there if a version is asked for", async () => {
      const key = newKey();
      for (const ifVersion of ["0", "ab".repeat(12), "not a version"])
        expect(await store.commit([{ ...put(key, "one"), ifVersion }])).toBe(false);
      expect(await store.get(key)).toBeUndefined();
    });

    it("makes none of the changes if the last condition does not hold", async () => {
      const space = newSpace();
      const [kept, made, taken] = ["kept", "made", "taken"].map((part) => ({ space, parts: [part] }));
      await store.commit([put(kept!, "kept"), put(taken!, "taken")]);
      const changes = [
        { key: kept!, remove: true as const },
        { ...put(made!, "made"), ifVersion: "" },
        { ...put(taken!, "changed"), ifVersion: "" },
      ];
      expect(await store.commit(changes)).toBe(false);
      const values = (await listed({ space, prefix: [] })).map(({ value }) => text(value));
      expect(values).toEqual(["kept", "taken"]);
    });

    it("makes all of the changes if all conditions hold", async () => {
      const space = newSpace();
      const keys = Array.from({ length: 50 }, (_, i) => ({ space, parts: [String(100 + i)] }));
      expect(await store.commit(keys.map((key) => ({ ...put(key, "x"), ifVersion: "" })))).toBe(true);
      expect(partsOf(await listed({ space, prefix: [] }))).toEqual(keys.map(({ parts }) => parts));
    });

    it("looks at what was before the commit, and lets the later change of one key stand", async () => {
      const key = newKey();
      const twice = [
        { ...put(key, "one"), ifVersion: "" },
        { ...put(key, "two"), ifVersion: "" },
      ];
      expect(await store.commit(twice)).toBe(true);
      expect(await read(key)).toBe("two");
      expect(await store.commit([put(key, "three"), { key, remove: true }])).toBe(true);
      expect(await store.get(key)).toBeUndefined();
    });

    it("lets exactly one of 200 win who create one record at once", async () => {
      const key = newKey();
      const won = await Promise.all(
        Array.from({ length: 200 }, (_, i) => store.commit([{ ...put(key, String(i)), ifVersion: "" }])),
      );
      expect(won.filter(Boolean)).toHaveLength(1);
      expect(await read(key)).toBe(String(won.indexOf(true)));
    });

    it("keeps the order of commits that were not waited for", async () => {
      const key = newKey();
      await Promise.all(Array.from({ length: 100 }, (_, i) => store.commit([put(key, String(i))])));
      expect(await read(key)).toBe("99");
    });

    it("copies what is put before it returns, and what it gives", async () => {
      const key = newKey();
      const value = bytes("mine");
      const committed = store.commit([{ key, put: value }]);
      value.fill(0);
      await committed;
      const first = await store.get(key);
      expect(text(first?.value)).toBe("mine");
      first?.value.fill(0);
      const [entry] = await listed({ space: key.space, prefix: [] });
      expect(text(entry?.value)).toBe("mine");
      entry?.value.fill(0);
      expect(await read(key)).toBe("mine");
    });

    it("does not change a value that was given when the record changes", async () => {
      const key = newKey();
      await store.commit([{ key, put: new Uint8Array(100_000).fill(1) }]);
      const given = (await store.get(key))?.value;
      for (let i = 2; i < 10; i += 1) {
        await store.commit([{ key, put: new Uint8Array(100_000).fill(i) }]);
        await store.get(key);
      }
      expect(given?.every((byte) => byte === 1)).toBe(true);
    });

    it("lists key, value and version", async () => {
      const key = newKey();
      await store.commit([put(key, "value")]);
      const [entry, ...more] = await listed({ space: key.space, prefix: key.parts });
      expect(more).toEqual([]);
      expect(entry).toMatchObject({ key, version: await versionOf(key) });
      expect(text(entry?.value)).toBe("value");
    });

    it("lists in order of the parts, a shorter key first", async () => {
      const space = newSpace();
      const inOrder = [
        [],
        [""],
        ["", "b"],
        ["\u0001"],
        [" "],
        ["A"],
        ["a"],
        ["a", "z"],
        ["a b"],
        ["ab"],
        ["ä"],
        ["\uffff"],
        ["😀"],
      ];
      await store.commit(inOrder.toReversed().map((parts) => put({ space, parts }, "x")));
      expect(partsOf(await listed({ space, prefix: [] }))).toEqual(inOrder);
    });

    it("takes a prefix by whole parts", async () => {
      const space = newSpace();
      const all = [["a"], ["a", "1"], ["a", "2", "x"], ["ab"], ["ab", "1"], ["b"]];
      await store.commit(all.map((parts) => put({ space, parts }, "x")));
      expect(partsOf(await listed({ space, prefix: ["a"] }))).toEqual([["a"], ["a", "1"], ["a", "2", "x"]]);
      expect(partsOf(await listed({ space, prefix: ["a", "2"] }))).toEqual([["a", "2", "x"]]);
      expect(partsOf(await listed({ space, prefix: ["ab"] }))).toEqual([["ab"], ["ab", "1"]]);
      expect(await listed({ space, prefix: ["c"] })).toEqual([]);
    });

    it("does not list another space, one of a similar name neither", async () => {
      const space = newSpace();
      await store.commit([
        put({ space, parts: ["mine"] }, "x"),
        put({ space: `${space}2`, parts: ["other"] }, "x"),
        put({ space: space.slice(0, -1), parts: [space.slice(-1), "other"] }, "x"),
      ]);
      expect(partsOf(await listed({ space, prefix: [] }))).toEqual([["mine"]]);
    });

    it("keeps parts of any characters apart", async () => {
      const space = newSpace();
      const odd = ["", " ", "/", ":", "\\", "*", "?", "[a-z]", "{", "}", "%00", "\u0001", "\u007f", "\u0080"];
      const odder = ["\n", "\r\n", "\ufeff", "\ufffd", "é", "e\u0301", "\u202e", "👩‍🚀", "'", '"', "0", "-1"];
      const keys = [...odd, ...odder].flatMap((part) => [
        { space, parts: [part] },
        { space, parts: [part, part] },
      ]);
      await store.commit(keys.map((key) => put(key, JSON.stringify(key.parts))));
      for (const key of keys) expect(await read(key)).toBe(JSON.stringify(key.parts));
      const entries = await listed({ space, prefix: [] });
      expect(entries).toHaveLength(keys.length);
      for (const { key, value } of entries) expect(text(value)).toBe(JSON.stringify(key.parts));
    });

    it("rejects a key with NUL, with a lone surrogate, or above 1,900 bytes", async () => {
      for (const part of ["a\0b", "\ud800", "a\udc00", "x".repeat(1900)]) {
        const key = { space: newSpace(), parts: [part] };
        await expect(store.get(key)).rejects.toThrow(RangeError);
        await expect(store.commit([put(key, "x")])).rejects.toThrow(RangeError);
        await expect(listed({ space: key.space, prefix: key.parts })).rejects.toThrow(RangeError);
      }
    });

    it("takes a key of 1,900 bytes", async () => {
      const space = newSpace();
      const key = { space, parts: ["x".repeat(1900 - space.length - 2)] };
      await store.commit([{ ...put(key, "long"), expiresAtMs: Date.now() + 60_000 }]);
      expect(await read(key)).toBe("long");
    });

    it("lists no more than the limit", async () => {
      const space = newSpace();
      const parts = Array.from({ length: 150 }, (_, i) => [String(1000 + i)]);
      await store.commit(parts.map((part) => put({ space, parts: part }, "x")));
      for (const limit of [0, 1, 64, 65, 149, 150, 151])
        expect(partsOf(await listed({ space, prefix: [], limit }))).toEqual(parts.slice(0, limit));
    });

    it("lists many large records", async () => {
      const space = newSpace();
      const keys = Array.from({ length: 12 }, (_, i) => ({ space, parts: [String(10 + i)] }));
      for (const [i, key] of keys.entries())
        await store.commit([{ key, put: new Uint8Array(400_000).fill(i) }]);
      const entries = await listed({ space, prefix: [] });
      expect(entries.map(({ value }) => [value.length, value[0], value.at(-1)])).toEqual(
        keys.map((_, i) => [400_000, i, i]),
      );
    });

    it("lets records be removed while they are listed", async () => {
      const space = newSpace();
      const parts = Array.from({ length: 200 }, (_, i) => [String(1000 + i)]);
      await store.commit(parts.map((part) => put({ space, parts: part }, "x")));
      const seen: (readonly string[])[] = [];
      for await (const { key } of store.list({ space, prefix: [] })) {
        seen.push(key.parts);
        await store.commit([{ key, remove: true }]);
      }
      expect(seen).toEqual(parts);
      expect(await listed({ space, prefix: [] })).toEqual([]);
    });

    it("has a record until it expires, and not from then on", async () => {
      const key = newKey();
      await store.commit([{ ...put(key, "short"), expiresAtMs: Date.now() + 400 }]);
      const version = await versionOf(key);
      expect(await read(key)).toBe("short");
      expect(await listed({ space: key.space, prefix: [] })).toHaveLength(1);
      await sleep(450);
      expect(await store.get(key)).toBeUndefined();
      expect(await listed({ space: key.space, prefix: [] })).toEqual([]);
      expect(await store.commit([{ ...put(key, "stale"), ifVersion: version }])).toBe(false);
      expect(await store.commit([{ ...put(key, "new"), ifVersion: "" }])).toBe(true);
      expect(await read(key)).toBe("new");
    });

    it("does not have a record that has expired when it is put", async () => {
      for (const expiresAtMs of [Date.now() - 1, 0, -1, -Infinity]) {
        const key = newKey();
        expect(await store.commit([{ ...put(key, "late"), expiresAtMs }])).toBe(true);
        expect(await store.get(key)).toBeUndefined();
      }
    });

    it("rejects a time of expiry that is not a number", async () => {
      await expect(store.commit([{ ...put(newKey(), "x"), expiresAtMs: NaN }])).rejects.toThrow(RangeError);
    });

    it("keeps a record whose later write has no expiry, or a later one", async () => {
      const space = newSpace();
      const keys = ["forever", "longer"].map((part) => ({ space, parts: [part] }));
      await store.commit(keys.map((key) => ({ ...put(key, "short"), expiresAtMs: Date.now() + 100 })));
      await store.commit([
        put(keys[0]!, "forever"),
        { ...put(keys[1]!, "longer"), expiresAtMs: Date.now() + 60_000 },
      ]);
      await sleep(1200);
      expect(await Promise.all(keys.map(read))).toEqual(["forever", "longer"]);
    });
  });

  describe(`${name} that is closed`, () => {
    it("has finished the commits that were under way, and rejects everything else", async () => {
      const { store, cleanUp } = await open();
      const key: StateKey = { space: "space", parts: ["id"] };
      const underWay = Array.from({ length: 20 }, () => store.commit([put(key)]));
      const list = store.list({ space: "space", prefix: [] });
      await Promise.all([store.close(), store.close()]);
      expect(await Promise.all(underWay)).toEqual(Array<boolean>(20).fill(true));
      const rejection = { name: "StateError", failure: "unusable" };
      await expect(store.get(key)).rejects.toMatchObject(rejection);
      await expect(store.commit([put(key)])).rejects.toMatchObject(rejection);
      await expect(store.commit([])).rejects.toMatchObject(rejection);
      await expect(list[Symbol.asyncIterator]().next()).rejects.toMatchObject(rejection);
      await store.close();
      await cleanUp();
    });
  });
}

function put(key: StateKey) {
  return { key, put: bytes("x") };
}
