import { describe, expect, it } from "vitest";
import { Epochs } from "../../src/calls/epochs.js";
import { TurnWindows } from "../../src/calls/turn-windows.js";
import type { TurnName } from "../../src/calls/turn-windows.js";
import { callForTest, resultForTest } from "./call-fixture.js";

const turn = (turnId: string): TurnName => ({
  key: { tenant: "t", project: "p" },
  userId: "u",
  sessionId: "s",
  turnId,
});

function put(windows: TurnWindows, name: TurnName, callKey: string) {
  const call = callForTest({ id: callKey });
  const mark = new Epochs().begin(call.key, "read");
  windows.put(name, callKey, { sourceId: call.id, run: call.run, mark, isInflightOnly: false });
  return call;
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("turn windows", () => {
  it("remember at most a number of calls, the latest turns first", () => {
    const windows = new TurnWindows({ maxCalls: 10 });
    for (let i = 0; i < 100; i += 1) put(windows, turn(`t${i}`), "k");
    expect(windows.size).toBe(10);
    expect(windows.find(turn("t99"), "k")).toBeDefined();
    expect(windows.find(turn("t0"), "k")).toBeUndefined();
  });

  it("remember at most a number of calls of one turn too", () => {
    const windows = new TurnWindows({ maxCalls: 10 });
    for (let i = 0; i < 100; i += 1) put(windows, turn("t"), `k${i}`);
    expect(windows.size).toBe(10);
    expect(windows.find(turn("t"), "k99")).toBeDefined();
  });

  it("hold a number of bytes of results", async () => {
    const windows = new TurnWindows({ maxResultBytes: 10_000 });
    for (let i = 0; i < 50; i += 1)
      put(windows, turn(`t${i}`), "k").run.settle(resultForTest("x".repeat(1000)));
    await settled();
    expect(windows.size).toBe(10);
  });

  it("forget a turn some time after its last call", () => {
    let now = 0;
    const windows = new TurnWindows({ forgetMs: 1000, now: () => now });
    put(windows, turn("old"), "k");
    now = 900;
    windows.see(turn("old"));
    now = 1800;
    windows.see(turn("new"));
    expect(windows.find(turn("old"), "k")).toBeDefined();
    now = 2000;
    windows.see(turn("new"));
    expect(windows.find(turn("old"), "k")).toBeUndefined();
    expect(windows.size).toBe(0);
  });

  it("close the turns of one session or of all, and no other project's", () => {
    const windows = new TurnWindows();
    const other = { ...turn("t"), sessionId: "other" };
    const elsewhere = { ...turn("t"), key: { tenant: "t2", project: "p" } };
    for (const name of [turn("t"), other, elsewhere]) windows.see(name);
    windows.close(turn("t").key, "s");
    expect([turn("t"), other, elsewhere].map((name) => windows.see(name))).toEqual([false, true, true]);
    windows.close(turn("t").key, "");
    expect([other, elsewhere].map((name) => windows.see(name))).toEqual([false, true]);
  });
});
