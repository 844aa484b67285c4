import { getEventListeners, setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { AgentService, ErrorKind } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { agentFailure } from "../../../src/sandbox/channel/agent-failure.js";
import { channelPair } from "./channel-pair.js";
import { expectNoStrays, rejection } from "./strays.js";

const { hello, killRun, killAll } = AgentService.method;
const signal = new AbortController().signal;
setMaxListeners(0, signal);
expectNoStrays();

describe("a unary call", () => {
  it("brings the request there and the response back", async () => {
    const { client } = await channelPair({
      killRun: ({ runId, graceMs }) => Promise.resolve({ processesKilled: runId.length + graceMs }),
    });
    const response = await client.call(killRun, { runId: "four", graceMs: 3 }, { signal });
    expect(response.processesKilled).toBe(7);
  });

  it("rejects with what the handler fails with", async () => {
    const { client, internal } = await channelPair({
      hello: () => Promise.reject(agentFailure(ErrorKind.NOT_FOUND, "no ü\n", { near: ["a", "b"] })),
    });
    const error = await rejection(client.call(hello, {}, { signal }));
    expect(error).toMatchObject({
      name: "AgentFailure",
      message: "no ü\n",
      detail: { kind: ErrorKind.NOT_FOUND, near: ["a", "b"] },
    });
    expect(internal).toEqual([]);
  });

  it("is INTERNAL if the handler throws anything else, which is reported, and the channel lives on", async () => {
    const { client, internal } = await channelPair({
      hello: () => Promise.reject(new TypeError("a bug")),
      killAll: () => Promise.resolve({ processesKilled: 1 }),
    });
    const error = await rejection(client.call(hello, {}, { signal }));
    expect(error).toMatchObject({ name: "AgentFailure", detail: { kind: ErrorKind.INTERNAL } });
    expect(internal.map(({ message }) => message)).toEqual(["a bug"]);
    expect(await client.call(killAll, {}, { signal })).toMatchObject({ processesKilled: 1 });
  });

  it("rejects at once with the reason of its signal, and aborts the signal of the handler", async () => {
    let aborted: unknown;
    const { client } = await channelPair({
      hello: (_request, context) =>
        new Promise((_resolve, reject) =>
          context.signal.addEventListener("abort", () => {
            aborted = context.signal.reason;
            reject(new Error("ended"));
          }),
        ),
    });
    const abort = new AbortController();
    const call = rejection(client.call(hello, {}, { signal: abort.signal }));
    await sleep(50);
    abort.abort(new Error("not wanted"));
    expect(await call).toMatchObject({ message: "not wanted" });
    await expect.poll(() => aborted).toMatchObject({ name: "ChannelReset" });
  });

  it("does not begin with a signal that is aborted", async () => {
    let begun = 0;
    const { client } = await channelPair({ hello: () => Promise.resolve({ pid: ++begun }) });
    const call = client.call(hello, {}, { signal: AbortSignal.abort(new Error("before")) });
    await expect(call).rejects.toThrow("before");
    await sleep(50);
    expect(begun).toBe(0);
  });

  it("leaves no listener on its signal", async () => {
    const { client } = await channelPair({ hello: () => Promise.resolve({}) });
    const abort = new AbortController();
    for (let turn = 0; turn < 20; turn += 1) await client.call(hello, {}, { signal: abort.signal });
    expect(getEventListeners(abort.signal, "abort")).toEqual([]);
  });

  it("refuses a request above 4 MiB and names the limit, and carries one below", async () => {
    const { client } = await channelPair({
      killRun: ({ runId }) => Promise.resolve({ processesKilled: runId.length }),
    });
    const large = rejection(client.call(killRun, { runId: "x".repeat(4_194_305) }, { signal }));
    expect(await large).toMatchObject({
      detail: { kind: ErrorKind.INVALID, message: expect.stringMatching(/limit of 4194304 bytes/) as string },
    });
    const fits = await client.call(killRun, { runId: "x".repeat(4_194_000) }, { signal });
    expect(fits.processesKilled).toBe(4_194_000);
  });

  it("fails with the limit if the answer is above 4 MiB", async () => {
    const { client } = await channelPair({
      hello: () => Promise.resolve({ buildId: "x".repeat(4_194_305) }),
    });
    const error = await rejection(client.call(hello, {}, { signal }));
    expect(error).toMatchObject({
      name: "AgentFailure",
      message: expect.stringMatching(/4194304/) as string,
    });
  });

  it("goes beside 1,500 others that wait", async () => {
    const waiting: (() => void)[] = [];
    const { client } = await channelPair({
      hello: () => new Promise((resolve) => waiting.push(() => resolve({}))),
    });
    const calls = Array.from({ length: 1500 }, () => client.call(hello, {}, { signal }));
    await expect.poll(() => waiting.length).toBe(1023);
    for (let released = 0; released < 1500;) {
      for (const release of waiting.splice(0)) {
        release();
        released += 1;
      }
      await sleep(1);
    }
    expect(await Promise.all(calls)).toHaveLength(1500);
  });
});
