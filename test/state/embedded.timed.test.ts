import { expect, it } from "vitest";
import { embeddedPrograms, newDirectory, record } from "./embedded-setup.js";

const { open } = embeddedPrograms();

it("commits in less than 0.4 ms at the median", async () => {
  const store = await open(await newDirectory());
  const took: number[] = [];
  for (let i = 0; i < 500; i += 1) {
    const before = performance.now();
    await store.commit([{ ...record(600, String(i)), ifVersion: "", expiresAtMs: Date.now() + 60_000 }]);
    took.push(performance.now() - before);
  }
  expect(took.toSorted((a, b) => a - b)[250]).toBeLessThan(0.4);
});
