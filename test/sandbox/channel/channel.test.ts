import { getEventListeners, setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AgentService, ErrorKind } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { agentFailure } from "../../../src/sandbox/channel/agent-failure.js";
import { BufferedPipe } from "../../../src/sandbox/channel/buffered-pipe.js";
import { createAgentClient } from "../../../src/sandbox/channel/create-agent-client.js";
import { serveAgent } from "../../../src/sandbox/channel/serve-agent.js";
import { channelPair, pipePair } from "./channel-pair.js";

const { hello, run, killRun, killAll, readBytes } = AgentService.method;
const signal = new AbortController().signal;
setMaxListeners(0, signal);

const strays: unknown[] = [];
const stray = (error: unknown): void => void strays.push(error);
beforeEach(() => {
  process.on("unhandledRejection", stray);
  process.on("uncaughtException", stray);
});
afterEach(async () => {
  await sleep(20);
  process.off("unhandledRejection", stray);
  process.off("uncaughtException", stray);
  expect(strays.splice(0)).toEqual([]);
});

function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => "it was fulfilled",
    (error: unknown) => error,
  );
}

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

describe("a stream", () => {
  it("brings requests and responses in order and ends both ways", async () => {
    const { client } = await channelPair({
      async run(requests, respond) {
        for await (const { message } of requests)
          if (message.case === "stdin") await respond({ event: { case: "stdout", value: message.value } });
      },
    });
    const seen: number[] = [];
    const stream = client.stream(run, {
      signal,
      onResponse({ event }) {
        if (event.case === "stdout") seen.push(event.value[0] ?? -1);
      },
    });
    for (let turn = 0; turn < 200; turn += 1)
      await stream.send({ message: { case: "stdin", value: new Uint8Array(50_000).fill(turn) } });
    stream.end();
    await stream.done;
    expect(seen).toEqual(Array.from({ length: 200 }, (_, index) => index));
  });

  it("holds the agent back while a response is being handled, with bounded memory on the way", async () => {
    let sent = 0;
    const { client } = await channelPair({
      async readBytes(_request, respond, context) {
        for (; sent < 500 && !context.signal.aborted; sent += 1)
          await respond({ data: new Uint8Array(65_536) });
      },
    });
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    let received = 0;
    const stream = client.stream(readBytes, {
      signal,
      onResponse({ data }) {
        received += data.length;
        return released;
      },
    });
    await stream.send({});
    stream.end();
    await sleep(200);
    expect(sent).toBeLessThan(40);
    release();
    await stream.done;
    expect(received).toBe(500 * 65_536);
  });

  it("holds the caller back while the handler does not read", async () => {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    let received = 0;
    const { client } = await channelPair({
      async run(requests) {
        await released;
        for await (const { message } of requests)
          if (message.case === "stdin") received += message.value.length;
      },
    });
    const stream = client.stream(run, { signal, onResponse: () => undefined });
    let sent = 0;
    const sending = (async () => {
      for (; sent < 200; sent += 1)
        await stream.send({ message: { case: "stdin", value: new Uint8Array(65_536) } });
      stream.end();
    })();
    await sleep(200);
    expect(sent).toBeLessThan(40);
    release();
    await sending;
    await stream.done;
    expect(received).toBe(200 * 65_536);
  });

  it("does not block another while 100 are paused", async () => {
    const { client } = await channelPair({
      hello: () => Promise.resolve({}),
      async readBytes(_request, respond, context) {
        while (!context.signal.aborted) await respond({ data: new Uint8Array(65_536) });
      },
    });
    const abort = new AbortController();
    setMaxListeners(0, abort.signal);
    const never = new Promise<void>(() => undefined);
    const streams = Array.from({ length: 100 }, () =>
      client.stream(readBytes, { signal: abort.signal, onResponse: () => never }),
    );
    for (const stream of streams) {
      await stream.send({});
      stream.end();
    }
    await sleep(300);
    const start = performance.now();
    await client.call(hello, {}, { signal });
    expect(performance.now() - start).toBeLessThan(500);
    abort.abort(new Error("enough"));
    const ends = await Promise.all(streams.map(({ done }) => rejection(done)));
    expect(new Set(ends.map(String))).toEqual(new Set(["Error: enough"]));
    await client.call(hello, {}, { signal });
  });

  it("rejects with what its caller's handler of responses throws, and ends the agent's work", async () => {
    let isAborted = false;
    const { client } = await channelPair({
      async readBytes(_request, respond, context) {
        context.signal.addEventListener("abort", () => (isAborted = true));
        while (!context.signal.aborted) await respond({ data: new Uint8Array(1000) });
      },
    });
    for (const fail of [
      () => Promise.reject(new Error("mine")),
      () => {
        throw new Error("mine");
      },
    ]) {
      isAborted = false;
      const stream = client.stream(readBytes, { signal, onResponse: fail });
      await stream.send({});
      expect(await rejection(stream.done)).toMatchObject({ message: "mine" });
      await expect.poll(() => isAborted).toBe(true);
    }
  });

  it("keeps what came before its error", async () => {
    const { client } = await channelPair({
      async readBytes(_request, respond) {
        await respond({ data: new Uint8Array(3) });
        throw agentFailure(ErrorKind.TOO_LARGE, "more came");
      },
    });
    let received = 0;
    const stream = client.stream(readBytes, {
      signal,
      onResponse: ({ data }) => void (received += data.length),
    });
    await stream.send({});
    expect(await rejection(stream.done)).toMatchObject({ detail: { kind: ErrorKind.TOO_LARGE } });
    expect(received).toBe(3);
  });

  it("may be sent to after its end without harm", async () => {
    const { client } = await channelPair({ run: () => Promise.resolve() });
    const stream = client.stream(run, { signal, onResponse: () => undefined });
    await stream.done;
    await stream.send({ message: { case: "stdin", value: new Uint8Array(100_000) } });
    stream.end();
  });
});

describe("a channel", () => {
  for (const [name, cut] of [
    ["the agent's end is closed", "served"],
    ["the agent's pipe breaks", "agentPipe"],
    ["the caller's pipe breaks", "clientPipe"],
    ["the caller closes it", "client"],
  ] as const)
    it(`is lost for calls, streams and itself if ${name}`, async () => {
      let aborts = 0;
      const pair = await channelPair({
        hello: (_request, context) =>
          new Promise(() => context.signal.addEventListener("abort", () => (aborts += 1))),
        async readBytes(_request, respond, context) {
          context.signal.addEventListener("abort", () => (aborts += 1));
          while (!context.signal.aborted) await respond({ data: new Uint8Array(65_536) });
        },
      });
      const call = rejection(pair.client.call(hello, {}, { signal }));
      const stream = pair.client.stream(readBytes, { signal, onResponse: () => sleep(5) });
      await stream.send({});
      await sleep(50);
      if (cut === "served" || cut === "client") pair[cut].close();
      else pair[cut].destroy();
      expect(await call).toMatchObject({ name: "ChannelLost" });
      expect(await rejection(stream.done)).toMatchObject({ name: "ChannelLost" });
      expect(await pair.client.closed).toMatchObject({ name: "ChannelLost" });
      await pair.served.closed;
      await expect.poll(() => aborts).toBe(2);
      expect(await rejection(pair.client.call(hello, {}, { signal }))).toMatchObject({ name: "ChannelLost" });
    });

  it("is lost from the start on a pipe that is closed", async () => {
    const [near] = await pipePair();
    near.destroy();
    const client = createAgentClient(near);
    expect(await rejection(client.call(hello, {}, { signal }))).toMatchObject({ name: "ChannelLost" });
    expect(await client.closed).toMatchObject({ name: "ChannelLost" });
  });

  it("carries much in both directions at once, on one stream and on many", async () => {
    const { client } = await channelPair({
      async readBytes(_request, respond) {
        for (let turn = 0; turn < 200; turn += 1) await respond({ data: new Uint8Array(65_536) });
      },
      async run(requests) {
        for await (const request of requests) if (request.message.case === undefined) return;
      },
    });
    const down = Array.from({ length: 8 }, async () => {
      const stream = client.stream(readBytes, { signal, onResponse: () => undefined });
      await stream.send({});
      stream.end();
      await stream.done;
    });
    const up = Array.from({ length: 8 }, async () => {
      const stream = client.stream(run, { signal, onResponse: () => undefined });
      for (let turn = 0; turn < 200; turn += 1)
        await stream.send({ message: { case: "stdin", value: new Uint8Array(65_536) } });
      stream.end();
      await stream.done;
    });
    await Promise.all([...down, ...up]);
  });

  it("does not begin a call that was given up while it waited for its turn", async () => {
    let begun = 0;
    const release = new AbortController();
    const { client } = await channelPair({
      killAll: () => new Promise((resolve) => release.signal.addEventListener("abort", () => resolve({}))),
      hello: () => Promise.resolve({ pid: ++begun }),
    });
    setMaxListeners(0, release.signal);
    const waiting = Array.from({ length: 1023 }, () => client.call(killAll, {}, { signal }));
    await sleep(200);
    const abort = new AbortController();
    const queued = rejection(client.call(hello, {}, { signal: abort.signal }));
    await sleep(50);
    abort.abort(new Error("given up"));
    expect(await queued).toMatchObject({ message: "given up" });
    await sleep(50);
    release.abort();
    await Promise.all(waiting);
    await sleep(50);
    expect(begun).toBe(0);
  });

  it("is lost if the other end speaks something else", async () => {
    const [near, far] = await pipePair();
    const client = createAgentClient(near);
    const call = rejection(client.call(hello, {}, { signal }));
    far.write("HTTP/1.1 400 Bad Request\r\n\r\nnot for you\r\n".repeat(10));
    expect(await call).toMatchObject({ name: "ChannelLost" });
    expect(await client.closed).toMatchObject({ name: "ChannelLost" });
  });

  it("closes at the agent's end if the caller speaks something else", async () => {
    const [near, far] = await pipePair();
    near.on("error", () => undefined).resume();
    const refuse = (): Promise<never> => Promise.reject(new Error("no"));
    const handlers = {
      hello: refuse,
      run: refuse,
      killRun: refuse,
      killAll: refuse,
      readLines: refuse,
      readBytes: refuse,
    };
    const served = serveAgent(new BufferedPipe({ input: far, output: far }), handlers, {
      onInternalError: () => undefined,
    });
    near.write("GET / HTTP/1.1\r\n\r\n");
    await served.closed;
  });

  it("survives 3,000 calls that are given up at once", async () => {
    const { client } = await channelPair({
      hello: () => Promise.resolve({}),
      killAll: () => new Promise(() => undefined),
    });
    for (let round = 0; round < 30; round += 1) {
      const abort = new AbortController();
      setMaxListeners(0, abort.signal);
      const calls = Array.from({ length: 100 }, () =>
        rejection(client.call(killAll, {}, { signal: abort.signal })),
      );
      await sleep(1);
      abort.abort(new Error("given up"));
      expect(new Set((await Promise.all(calls)).map(String))).toEqual(new Set(["Error: given up"]));
    }
    await client.call(hello, {}, { signal });
  });
});
