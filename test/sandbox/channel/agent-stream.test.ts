import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { AgentService, ErrorKind } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { agentFailure } from "../../../src/sandbox/channel/agent-failure.js";
import { channelPair } from "./channel-pair.js";
import { expectNoStrays, rejection } from "./strays.js";

const { hello, run, readBytes } = AgentService.method;
const signal = new AbortController().signal;
setMaxListeners(0, signal);
expectNoStrays();

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

  it("hands every response to a reader that is slower than the agent", async () => {
    const { client } = await channelPair({
      async readBytes(_request, respond) {
        for (let turn = 0; turn < 20; turn += 1) await respond({ data: new Uint8Array(1000 * turn) });
      },
    });
    const sizes: number[] = [];
    const stream = client.stream(readBytes, {
      signal,
      async onResponse({ data }) {
        await sleep(10);
        sizes.push(data.length);
      },
    });
    await stream.send({});
    stream.end();
    await stream.done;
    expect(sizes).toEqual(Array.from({ length: 20 }, (_, index) => 1000 * index));
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
    expect(performance.now() - start).toBeLessThan(5000);
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
