import { describe, expect, it } from "vitest";
import { ClockFired } from "../../src/calls/abort-reason.js";
import { Slots } from "../../src/calls/slots.js";

const open = new AbortController().signal;

describe("Slots", () => {
  it("gives places in order of arrival", async () => {
    const slots = new Slots({ perProject: 1 });
    const order: string[] = [];
    const giveBack = await slots.take("p", { queueMs: 1000, signal: open });
    const waiting = ["a", "b"].map(async (name) => {
      const give = await slots.take("p", { queueMs: 1000, signal: open });
      order.push(name);
      give();
    });
    giveBack();
    await Promise.all(waiting);
    expect(order).toEqual(["a", "b"]);
  });

  it("ends a wait by its clock, which names itself", async () => {
    const slots = new Slots({ perProject: 1 });
    await slots.take("p", { queueMs: 1000, signal: open });
    await expect(slots.take("p", { queueMs: 20, signal: open })).rejects.toEqual(new ClockFired("queue", 20));
  });

  it("ends a wait by the signal and leaves no place behind", async () => {
    const slots = new Slots({ perProject: 1, waiting: 1 });
    const giveBack = await slots.take("p", { queueMs: 1000, signal: open });
    const controller = new AbortController();
    const waiting = slots.take("p", { queueMs: 1000, signal: controller.signal });
    expect(slots.isFull("p")).toBe(true);
    controller.abort(new Error("gone"));
    await expect(waiting).rejects.toThrow("gone");
    expect(slots.isFull("p")).toBe(false);
    giveBack();
    await expect(slots.take("p", { queueMs: 20, signal: open })).resolves.toBeTypeOf("function");
  });

  it("keeps projects apart", async () => {
    const slots = new Slots({ perProject: 1 });
    await slots.take("p", { queueMs: 20, signal: open });
    await expect(slots.take("q", { queueMs: 20, signal: open })).resolves.toBeTypeOf("function");
  });

  it("gives a place back once, however often it is given", async () => {
    const slots = new Slots({ perProject: 1 });
    const giveBack = await slots.take("p", { queueMs: 20, signal: open });
    giveBack();
    giveBack();
    await slots.take("p", { queueMs: 20, signal: open });
    await expect(slots.take("p", { queueMs: 20, signal: open })).rejects.toThrow();
  });
});
