import { describe, expect, it } from "vitest";
import { CallRegistry } from "../../src/calls/call-registry.js";
import type { CallRegistryOptions } from "../../src/calls/call-registry.js";
import { callForTest, resultForTest } from "./call-fixture.js";

const key = { tenant: "t", project: "p" };

async function registryWith(count: number, text: string, options: CallRegistryOptions) {
  const registry = new CallRegistry(options);
  for (let i = 0; i < count; i += 1) {
    const call = callForTest({ id: `c${i}` });
    registry.add(call);
    await call.settle(resultForTest(text));
    call.markOver();
    await call.over;
  }
  return registry;
}

describe("the registry of calls", () => {
  it("keeps a number of ended calls, the latest", async () => {
    const registry = await registryWith(20, "x", { keptCalls: 5 });
    expect(registry.all(key).map(({ id }) => id)).toEqual(["c15", "c16", "c17", "c18", "c19"]);
  });

  it("keeps a number of bytes of ended calls", async () => {
    const registry = await registryWith(20, "x".repeat(1000), { keptBytes: 5500, keptOutputBytes: 100 });
    expect(registry.all(key)).toHaveLength(5);
  });

  it("keeps ended calls for a time, and calls that run for as long as they do", async () => {
    let now = 0;
    const registry = await registryWith(3, "x", { keptMs: 1000, now: () => now });
    registry.add(callForTest({ id: "runs" }));
    now = 2000;
    expect(registry.peek(key, "c0").kind).toBe("nothing");
    expect(registry.peek(key, "runs").kind).toBe("call");
    expect(registry.running(key).map(({ id }) => id)).toEqual(["runs"]);
  });

  it("remembers for a minute that a call was canceled before it came", () => {
    let now = 0;
    const registry = new CallRegistry({ now: () => now });
    registry.bury(key, "early");
    expect(registry.peek(key, "early").kind).toBe("tombstone");
    now = 61_000;
    expect(registry.peek(key, "early").kind).toBe("nothing");
  });

  it("knows a project by its calls until it is forgotten, and no other tenant's of that name", async () => {
    const registry = await registryWith(1, "x", {});
    expect([await registry.knows(key), await registry.knows({ ...key, tenant: "t2" })]).toEqual([
      true,
      false,
    ]);
    await registry.forgetProject(key);
    expect([await registry.knows(key), registry.all(key)]).toEqual([false, []]);
  });
});
