import { once } from "node:events";
import { constants } from "node:http2";
import { Code } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";

import { ErrorInfoSchema, RetryInfoSchema } from "../../gen/google/rpc/error_details_pb.js";
import { AbortReason } from "../../src/calls/abort-reason.js";
import { clientOf, drainStream, errorOf, iterate, transports } from "./clients.js";
import { http2Session, rawSocket } from "./raw-http.js";
import { outputEvent, serve, waitingTool } from "./serve.js";

describe("a drain", () => {
  for (const name of Object.keys(transports)) {
    test(`refuses new calls by ${name} with a reason and when to retry`, async () => {
      const tool = waitingTool();
      const server = await serve({ executeTool: tool.executeTool }, { drainMs: 300 });
      const reading = drainStream(clientOf(server, name).executeTool({}));
      await tool.started;
      const drained = server.drain();
      const error = await errorOf(clientOf(server, name).listTools({}));
      expect(error.code).toBe(Code.Unavailable);
      expect(error.findDetails(ErrorInfoSchema)[0]?.reason).toBe("DRAINING");
      expect(error.findDetails(RetryInfoSchema)[0]?.retryDelay?.seconds).toBe(1n);
      await Promise.all([drained, reading]);
    });
  }

  test("sends GOAWAY on every session", async () => {
    const server = await serve();
    const sessions = await Promise.all([http2Session(server), http2Session(server), http2Session(server)]);
    const goaways = sessions.map((session) => once(session, "goaway"));
    await server.drain();
    expect((await Promise.all(goaways)).map(([code]) => code as number)).toEqual(
      [0, 0, 0].fill(constants.NGHTTP2_NO_ERROR),
    );
  });

  test("lets a running stream end in its own time", async () => {
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const server = await serve({
      async *executeTool() {
        yield outputEvent(1);
        await finished;
        yield outputEvent(1);
      },
    });
    const stream = iterate(clientOf(server, "gRPC over h2").executeTool({}));
    await stream.next();
    const drained = server.drain();
    setTimeout(finish, 200);
    expect((await stream.next()).done).toBe(false);
    expect((await stream.next()).done).toBe(true);
    await drained;
    expect(server.logged).not.toContain("aborting the calls that still run");
  });

  test("aborts what still runs after the time, with a reason, and lets it say how it ended", async () => {
    const reasons: unknown[] = [];
    const server = await serve(
      {
        async *executeTool(_request, { signal }) {
          yield outputEvent(1);
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
          reasons.push(signal.reason);
          yield outputEvent(2);
        },
      },
      { drainMs: 200 },
    );
    const stream = iterate(clientOf(server, "gRPC over h2").executeTool({}));
    await stream.next();
    const from = performance.now();
    const drained = server.drain();
    expect([(await stream.next()).done, (await stream.next()).done]).toEqual([false, true]);
    await drained;
    expect(performance.now() - from).toBeLessThan(1500);
    expect(reasons).toEqual([new AbortReason("shutdown", "the service is going down")]);
    expect(server.shutdownSignal.aborted).toBe(true);
  });

  test("destroys what does not end at all", async () => {
    const server = await serve(
      {
        async *executeTool() {
          yield outputEvent(1);
          await new Promise(() => undefined);
        },
      },
      { drainMs: 100, abortGraceMs: 100 },
    );
    const stream = iterate(clientOf(server, "gRPC over h2").executeTool({}));
    await stream.next();
    const from = performance.now();
    const next = errorOf(stream.next());
    await server.drain();
    expect(performance.now() - from).toBeLessThan(1500);
    await next;
  });

  test("does not wait for silent connections", async () => {
    const server = await serve();
    await rawSocket(server);
    await http2Session(server);
    const from = performance.now();
    await server.drain();
    expect(performance.now() - from).toBeLessThan(500);
  });

  test("ends with a closed port, once for all who ask", async () => {
    const server = await serve();
    const first = server.drain();
    expect(server.drain()).toBe(first);
    await first;
    await expect(fetch(server.url)).rejects.toThrow();
  });
});
