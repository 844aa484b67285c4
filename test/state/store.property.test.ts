import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openEmbeddedStore } from "../../src/state/embedded/open-embedded-store.js";
import type { StateChange, StateStore } from "../../src/state/store.js";
import { bundlesOf } from "./bundle.js";

const bundle = bundlesOf({ check: "src/state/embedded/check-main.ts" });

interface ModelRecord {
  readonly value: string;
  readonly expiresAtMs: number;
}

/** What a commit asks of a record: nothing, that there is none, that it has its version, that it has an old one. */
type Condition = "any" | "none" | "current" | "stale";

const PARTS = ["", "a", "ab", "b", "é", "😀", "\u0001"];
const change = fc.record({
  parts: fc.array(fc.constantFrom(...PARTS), { maxLength: 3 }),
  put: fc.option(fc.string({ maxLength: 20, unit: "binary" })),
  condition: fc.constantFrom<Condition>("any", "any", "none", "current", "stale"),
  expiresInMs: fc.option(fc.integer({ min: -5, max: 30 })),
});
const step = fc.record({
  changes: fc.array(change, { maxLength: 5 }),
  passMs: fc.integer({ min: 0, max: 10 }),
  prefix: fc.array(fc.constantFrom(...PARTS), { maxLength: 2 }),
});

let nowMs = 1_000_000;
let parent: string;
let store: StateStore;
let spaces = 0;

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), "handrail-state-"));
  store = await openEmbeddedStore({
    directory: join(parent, "state"),
    checkScript: bundle("check"),
    now: () => nowMs,
  });
});

afterAll(async () => {
  await store.close();
  await rm(parent, { recursive: true, force: true });
});

const bytesOf = (parts: readonly string[]) => Buffer.from(parts.map((part) => `${part}\0`).join(""));
const compareParts = (left: readonly string[], right: readonly string[]): number =>
  Buffer.compare(bytesOf(left), bytesOf(right));

it("does what a map does, whatever is committed", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const space = `space-${(spaces += 1)}`;
      const model = new Map<string, ModelRecord>();
      const stale = new Map<string, string>();
      const live = (id: string) => {
        const found = model.get(id);
        return found !== undefined && found.expiresAtMs > nowMs ? found : undefined;
      };
      for (const { changes, passMs, prefix } of steps) {
        const asked: StateChange[] = [];
        let holds = true;
        for (const { parts, put, condition, expiresInMs } of changes) {
          const id = JSON.stringify(parts);
          const key = { space, parts };
          const version = (await store.get(key))?.version ?? "";
          const ifVersion = { any: undefined, none: "", current: version, stale: stale.get(id) ?? "old" }[
            condition
          ];
          holds &&= ifVersion === undefined || ifVersion === version;
          holds &&= condition !== "none" || live(id) === undefined;
          const wanted = ifVersion === undefined ? {} : { ifVersion };
          const expiry = expiresInMs === null ? {} : { expiresAtMs: nowMs + expiresInMs };
          if (put === null) asked.push({ key, remove: true, ...wanted });
          else asked.push({ key, put: Buffer.from(put), ...wanted, ...expiry });
          stale.set(id, version === "" ? "old" : version);
        }
        expect(await store.commit(asked)).toBe(holds);
        if (holds)
          for (const { parts, put, expiresInMs } of changes) {
            const id = JSON.stringify(parts);
            if (put === null) model.delete(id);
            else
              model.set(id, {
                value: Buffer.from(put).toString("hex"),
                expiresAtMs: expiresInMs === null ? Infinity : nowMs + expiresInMs,
              });
          }
        nowMs += passMs;
        const listed: [string, string][] = [];
        for await (const { key, value } of store.list({ space, prefix }))
          listed.push([JSON.stringify(key.parts), Buffer.from(value).toString("hex")]);
        const expected = [...model.keys()]
          .map((id) => JSON.parse(id) as string[])
          .filter((parts) => prefix.every((part, i) => parts.length > i && parts[i] === part))
          .toSorted(compareParts)
          .flatMap((parts) => {
            const found = live(JSON.stringify(parts));
            return found === undefined ? [] : [[JSON.stringify(parts), found.value]];
          });
        expect(listed).toEqual(expected);
      }
    }),
    { numRuns: 150 },
  );
});
