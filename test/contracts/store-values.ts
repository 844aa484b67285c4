import { describe, expect, it } from "vitest";
import { bytesOf, newKey, newSpace, partsOf, put, storeBench, textOf } from "./store-bench.js";
import type { OpenStore } from "./store-bench.js";

/** What every state store does with records and commits. */
export function storeValues(name: string, open: OpenStore): void {
  describe(`${name} as a store of records`, () => {
    const { store, read, versionOf, listed } = storeBench(open);

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
        expect(Buffer.compare((await store.get(key))?.value ?? bytesOf(""), value)).toBe(0);
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
      const values = (await listed({ space, prefix: [] })).map(({ value }) => textOf(value));
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
      const value = bytesOf("mine");
      const committed = store.commit([{ key, put: value }]);
      value.fill(0);
      await committed;
      const first = await store.get(key);
      expect(textOf(first?.value)).toBe("mine");
      first?.value.fill(0);
      const [entry] = await listed({ space: key.space, prefix: [] });
      expect(textOf(entry?.value)).toBe("mine");
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
  });
}
