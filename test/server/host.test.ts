import { describe, expect, test } from "vitest";

import { parseAuthority } from "../../src/server/authority.js";
import {
  envelope,
  grpcHeaders,
  http2Request,
  http2Session,
  rawHttp1,
  rawSocket,
  readUntil,
} from "./raw-http.js";
import { serve } from "./serve.js";

const malformed = [
  ":::",
  "[",
  "a b",
  "",
  "a:99999",
  "a:",
  "[::1",
  "a@b",
  "a/b",
  "a:b",
  "é",
  "-a",
  "[1.2.3.4]",
  "a%20b",
];
/** Node itself resets these; from Node 24 on one more. */
const isNode24 = Number.parseInt(process.versions.node, 10) >= 24;
const resetByHttp2 = ["a b", "", "a/b", ...(isNode24 ? ["a@b"] : [])];
const foreign = [
  "evil.example",
  "evil.example:8080",
  "localhost.evil.example",
  "10.1.2.3",
  "[2001:db8::1]:80",
];
const own = ["localhost", "LOCALHOST:1", "127.0.0.1", "127.9.9.9:65535", "[::1]:8080", "localhost."];

describe("a malformed host", () => {
  for (const host of malformed) {
    test(`${JSON.stringify(host)} is not parsed`, () => {
      expect(parseAuthority(host)).toBeUndefined();
    });

    test(`${JSON.stringify(host)} over HTTP/1.1 gets 400 and the next request works`, async () => {
      const server = await serve();
      expect(await rawHttp1(server, `GET /healthz HTTP/1.1\r\nHost: ${host}`)).toMatch(/^HTTP\/1.1 400 /);
      expect(await rawHttp1(server, "GET /healthz HTTP/1.1\r\nHost: localhost")).toMatch(/^HTTP\/1.1 200 /);
    });
  }

  for (const host of malformed.filter((value) => value !== "é")) {
    const status = resetByHttp2.includes(host) ? undefined : 400;
    test(`${JSON.stringify(host)} over HTTP/2 gets ${status ?? "a reset"} and the next request works`, async () => {
      const server = await serve();
      const session = await http2Session(server);
      const refused = await http2Request(
        session,
        grpcHeaders("ListTools", { ":authority": host }),
        envelope(),
      );
      const next = await http2Request(session, grpcHeaders("ListTools"), envelope());
      expect([refused.headers[":status"], next.trailers?.["grpc-status"]]).toEqual([status, "0"]);
    });
  }

  test("that is missing from an HTTP/1.0 request gets 400", async () => {
    const server = await serve();
    expect(await rawHttp1(server, "GET /healthz HTTP/1.0")).toMatch(/^HTTP\/1.1 400 /);
  });

  test("that is missing from an HTTP/1.1 request gets 400 and the connection goes on", async () => {
    const server = await serve();
    const socket = await rawSocket(server);
    socket.write("GET /healthz HTTP/1.1\r\n\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    expect(await readUntil(socket, /ok\n$/)).toMatch(/^HTTP\/1.1 400 [^]*HTTP\/1.1 200 OK/);
  });

  test("that is there twice gets 400", async () => {
    const server = await serve();
    const answer = await rawHttp1(server, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example");
    expect(answer).toMatch(/^HTTP\/1.1 400 [^]*more than one host/);
  });

  test("that differs from :authority gets 400", async () => {
    const server = await serve();
    const session = await http2Session(server);
    const headers = grpcHeaders("ListTools", { ":authority": "localhost", host: "evil.example" });
    expect((await http2Request(session, headers, envelope())).headers[":status"]).toBe(400);
  });
});

describe("a host that is not the service", () => {
  for (const host of foreign) {
    test(`${host} gets 403 with the way out`, async () => {
      const server = await serve();
      const answer = await rawHttp1(server, `GET /healthz HTTP/1.1\r\nHost: ${host}`);
      expect(answer).toMatch(/^HTTP\/1.1 403 [^]*allowedHosts/);
    });
  }

  test("gets 403 over HTTP/2", async () => {
    const server = await serve();
    const session = await http2Session(server);
    const answer = await http2Request(
      session,
      grpcHeaders("ListTools", { ":authority": "evil.example" }),
      envelope(),
    );
    expect([answer.headers[":status"], String(answer.body)]).toEqual([
      403,
      expect.stringContaining("evil.example"),
    ]);
  });

  for (const allowed of ["handrail.internal", "Handrail.Internal", "*"]) {
    test(`is served if the setting has ${allowed}`, async () => {
      const server = await serve({}, { allowedHosts: [allowed] });
      const answer = await rawHttp1(server, "GET /healthz HTTP/1.1\r\nHost: handrail.internal:8443");
      expect(answer).toMatch(/^HTTP\/1.1 200 /);
    });
  }
});

describe("a host that is the service", () => {
  for (const host of own) {
    test(`${host} is served`, async () => {
      const server = await serve();
      expect(await rawHttp1(server, `GET /healthz HTTP/1.1\r\nHost: ${host}`)).toMatch(/^HTTP\/1.1 200 /);
    });
  }
});

test("an absolute request target does not reach an RPC and the server goes on", async () => {
  const server = await serve();
  const answer = await rawHttp1(server, "GET http://evil.example/healthz HTTP/1.1\r\nHost: localhost");
  expect(answer).toMatch(/^HTTP\/1.1 404 /);
  expect(await rawHttp1(server, "GET /healthz HTTP/1.1\r\nHost: localhost")).toMatch(/^HTTP\/1.1 200 /);
});
