import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { constants } from "node:http2";
import { get } from "node:https";
import type { IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";

import { grpcJsClient, listTools } from "./grpc-js-client.js";
import { envelope, grpcHeaders, http2Request, http2Session, rawSocket, readUntil } from "./raw-http.js";
import { serve, waitingTool } from "./serve.js";

const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const emptySettings = "\0\0\0\x04\0\0\0\0\0";

async function closedAfterMs(socket: NodeJS.EventEmitter): Promise<number> {
  const from = performance.now();
  await once(socket, "close");
  return performance.now() - from;
}

describe("first bytes", () => {
  test("an HTTP/1.1 request that comes byte by byte is answered", async () => {
    const server = await serve();
    const socket = await rawSocket(server);
    for (const byte of "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n") {
      socket.write(byte);
      await sleep(1);
    }
    expect(await readUntil(socket, /ok\n$/)).toMatch(/^HTTP\/1.1 200 OK/);
  });

  test("an HTTP/2 preface that comes byte by byte is answered with settings", async () => {
    const server = await serve();
    const socket = await rawSocket(server);
    for (const byte of preface) {
      socket.write(byte);
      await sleep(1);
    }
    socket.write(emptySettings);
    const [first] = (await once(socket, "data")) as [Buffer];
    expect(first[3]).toBe(4);
  });

  test("two HTTP/1.1 requests in one packet are both answered", async () => {
    const server = await serve();
    const socket = await rawSocket(server);
    const one = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
    socket.write(one + one);
    expect((await readUntil(socket, /ok\n[^]*ok\n$/)).match(/200 OK/g)).toHaveLength(2);
  });

  test("bytes that are no HTTP get 400", async () => {
    const server = await serve();
    const socket = await rawSocket(server);
    socket.write("\x16\x03\x01\x02\0\x01\0\x01\r\n\r\n");
    expect(await readUntil(socket, /\r\n\r\n/)).toMatch(/^HTTP\/1.1 400 /);
  });
});

describe("time limits", () => {
  for (const [what, bytes] of [
    ["says nothing", ""],
    ["stops in the middle of the HTTP/2 preface", preface.slice(0, 10)],
    ["sends the HTTP/2 preface and nothing more", preface],
    ["stops in the middle of an HTTP/1.1 head", "GET / HTTP/1.1\r\nHost: loc"],
  ] as const) {
    test(`a connection that ${what} is closed`, async () => {
      const server = await serve({}, { firstBytesTimeoutMs: 150 });
      const socket = await rawSocket(server);
      socket.resume();
      if (bytes !== "") socket.write(bytes);
      expect(await closedAfterMs(socket)).toBeLessThan(1500);
    });
  }

  test("an HTTP/1.1 body that does not come is given up", async () => {
    const server = await serve({}, { firstBytesTimeoutMs: 150, requestTimeoutMs: 200 });
    const socket = await rawSocket(server);
    socket.resume();
    socket.write(
      "POST /handrail.v1.ToolService/ListTools HTTP/1.1\r\nHost: localhost\r\n" +
        "Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{",
    );
    expect(await closedAfterMs(socket)).toBeLessThan(1500);
  });

  test("an HTTP/2 session without a call is closed by GOAWAY, although it pings", async () => {
    const server = await serve({}, { idleMs: 300 });
    const session = await http2Session(server);
    const pings = setInterval(() => {
      if (!session.destroyed) session.ping(() => undefined);
    }, 50);
    const goaway = once(session, "goaway");
    const afterMs = await closedAfterMs(session);
    clearInterval(pings);
    expect((await goaway)[0]).toBe(constants.NGHTTP2_NO_ERROR);
    expect(afterMs).toBeGreaterThan(200);
    expect(afterMs).toBeLessThan(1500);
  });

  test("an HTTP/2 session lives on while calls come", async () => {
    const server = await serve({}, { idleMs: 300 });
    const session = await http2Session(server);
    for (let i = 0; i < 6; i++) {
      await sleep(100);
      const answer = await http2Request(session, grpcHeaders("ListTools"), envelope());
      expect(answer.trailers?.["grpc-status"]).toBe("0");
    }
  });

  test("200 pings are tolerated", async () => {
    const server = await serve();
    const session = await http2Session(server);
    for (let i = 0; i < 200; i++) {
      await new Promise((resolve) => session.ping(resolve));
    }
    expect(session.destroyed).toBe(false);
  });
});

describe("TLS", () => {
  function identity() {
    const dir = mkdtempSync(join(tmpdir(), "handrail-tls-"));
    const [key, cert] = [join(dir, "key.pem"), join(dir, "cert.pem")];
    execFileSync("openssl", [
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
      ...["-days", "1", "-subj", "/CN=localhost", "-keyout", key, "-out", cert],
    ]);
    const pair = { key: readFileSync(key), cert: readFileSync(cert) };
    rmSync(dir, { recursive: true });
    return pair;
  }

  test("speaks HTTP/2 by ALPN", async () => {
    const server = await serve({}, { tls: identity() });
    const session = await http2Session(server);
    const answer = await http2Request(session, grpcHeaders("ListTools"), envelope());
    expect(session.alpnProtocol).toBe("h2");
    expect(answer.trailers?.["grpc-status"]).toBe("0");
  });

  test("speaks HTTP/1.1 to a client without ALPN", async () => {
    const server = await serve({}, { tls: identity() });
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get(`${server.url}/healthz`, { rejectUnauthorized: false }, resolve).on("error", reject);
    });
    response.resume();
    expect([response.httpVersion, response.statusCode]).toEqual(["1.1", 200]);
  });

  test("closes a connection whose handshake does not come", async () => {
    const server = await serve({}, { tls: identity(), firstBytesTimeoutMs: 150 });
    const socket = await rawSocket(server);
    socket.resume();
    expect(await closedAfterMs(socket)).toBeLessThan(1500);
  });
});

describe("floods", () => {
  test("a session that takes back requests too fast is closed and others are served on", async () => {
    const tool = waitingTool();
    const server = await serve({ executeTool: tool.executeTool });
    const client = grpcJsClient(server);
    await listTools(client);
    const session = await http2Session(server);
    const from = performance.now();
    const closed = new Promise((resolve) => session.once("close", resolve));
    const flood = setInterval(() => {
      for (let i = 0; i < 50 && !session.destroyed; i++) {
        const stream = session.request(grpcHeaders("ExecuteTool"));
        stream.on("error", () => undefined);
        stream.end(envelope(), () => stream.close(constants.NGHTTP2_CANCEL));
      }
    }, 1);
    await closed;
    clearInterval(flood);
    const [burst, perSecond, streamsAtOnce] = [256, 100, 128];
    const mostStarts = burst + (perSecond * (performance.now() - from)) / 1000 + streamsAtOnce;
    expect(await listTools(client)).toBe("v1");
    expect(tool.calls.length).toBeLessThanOrEqual(mostStarts);
    expect(server.logged).toContain("closed an HTTP/2 session whose client took back requests too fast");
  });

  test("a session has no more streams at once than allowed", async () => {
    const server = await serve({}, { maxConcurrentStreams: 7 });
    const session = await http2Session(server);
    expect(session.remoteSettings.maxConcurrentStreams).toBe(7);
  });
});
