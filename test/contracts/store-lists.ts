import { describe, expect, it } from "vitest";
import { newKey, newSpace, partsOf, put, storeBench, textOf } from "./store-bench.js";
import type { OpenStore } from "./store-bench.js";

/** What every state store does with keys and lists. */
export function storeLists(name: string, open: OpenStore): void {
  describe(`${name} as a store of lists`, () => {
    const { store, read, versionOf, listed } = storeBench(open);

    it("lists key, value and version", async () => {
      const key = newKey();
      await store.commit([put(key, "value")]);
      const [entry, ...more] = await listed({ space: key.space, prefix: key.parts });
      expect(more).toEqual([]);
      expect(entry).toMatchObject({ key, version: await versionOf(key) });
      expect(textOf(entry?.value)).toBe("value");
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
      for (const { key, value } of entries) expect(textOf(value)).toBe(JSON.stringify(key.parts));
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
  });
}
