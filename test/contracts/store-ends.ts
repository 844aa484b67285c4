import { describe, expect, it } from "vitest";
import { newKey, newSpace, put, storeBench } from "./store-bench.js";
import type { OpenStore } from "./store-bench.js";
import { setTimeout as sleep } from "node:timers/promises";
import type { StateKey } from "../../src/state/store.js";

/** What every state store does with records that expire, and once it is closed. */
export function storeEnds(name: string, open: OpenStore): void {
  describe(`${name} with records that expire`, () => {
    const { store, read, versionOf, listed } = storeBench(open);

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
      const underWay = Array.from({ length: 20 }, () => store.commit([put(key, "x")]));
      const list = store.list({ space: "space", prefix: [] });
      await Promise.all([store.close(), store.close()]);
      expect(await Promise.all(underWay)).toEqual(Array<boolean>(20).fill(true));
      const rejection = { name: "StateError", failure: "unusable" };
      await expect(store.get(key)).rejects.toMatchObject(rejection);
      await expect(store.commit([put(key, "x")])).rejects.toMatchObject(rejection);
      await expect(store.commit([])).rejects.toMatchObject(rejection);
      await expect(list[Symbol.asyncIterator]().next()).rejects.toMatchObject(rejection);
      await store.close();
      await cleanUp();
    });
  });
}
