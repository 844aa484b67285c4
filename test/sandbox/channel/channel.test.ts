import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { AgentService } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { BufferedPipe } from "../../../src/sandbox/channel/buffered-pipe.js";
import { createAgentClient } from "../../../src/sandbox/channel/create-agent-client.js";
import { serveAgent } from "../../../src/sandbox/channel/serve-agent.js";
import { channelPair, pipePair } from "./channel-pair.js";
import { expectNoStrays, rejection } from "./strays.js";

const { hello, run, killAll, readBytes } = AgentService.method;
const signal = new AbortController().signal;
setMaxListeners(0, signal);
expectNoStrays();

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
      stat: refuse,
      writeFile: refuse,
      listTree: refuse,
      watchDials: refuse,
      answerDial: refuse,
      dial: refuse,
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
