import { create, fromBinary } from "@bufbuild/protobuf";
import { anyUnpack } from "@bufbuild/protobuf/wkt";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { describe, expect, test } from "vitest";

import { ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb.js";
import { StatusSchema } from "../../gen/google/rpc/status_pb.js";
import { Health, HealthCheckRequestSchema } from "../../gen/grpc/health/v1/health_pb.js";
import type { Principal } from "../../src/domain/principal.js";
import { kPrincipal } from "../../src/rpc/context-keys.js";
import { bearerTokens, hashToken } from "../../src/server/authenticate.js";
import { clientOf, errorOf, transports } from "./clients.js";
import { envelope, grpcHeaders, http2Request, http2Session, rawSocket, readUntil } from "./raw-http.js";
import { serve } from "./serve.js";

const alice: Principal = { tenant: "acme", user: "alice", rights: new Set(["execute"]) };
const bob: Principal = { tenant: "bolt", rights: new Set(["execute", "manage"]) };
const authenticate = bearerTokens([
  { sha256: hashToken("alice-token"), principal: alice },
  { sha256: hashToken("bob-token"), principal: bob },
]);

describe("bearer tokens", () => {
  for (const [authorization, expected] of [
    ["Bearer alice-token", alice],
    ["bearer bob-token", bob],
    ["Bearer  bob-token", bob],
    ["Bearer alice-token2", undefined],
    ["Bearer ", undefined],
    ["Bearer", undefined],
    ["Basic alice-token", undefined],
    ["alice-token", undefined],
    ["", undefined],
    [undefined, undefined],
  ] as const) {
    test(`${String(authorization)} is ${expected?.tenant ?? "nobody"}`, () => {
      expect(authenticate({ authorization })).toBe(expected);
    });
  }

  test("with a hash of the wrong length are refused at once", () => {
    expect(() => bearerTokens([{ sha256: Buffer.alloc(20), principal: alice }])).toThrow("32 bytes, not 20");
  });
});

describe("a caller without credentials", () => {
  for (const name of Object.keys(transports)) {
    test(`is UNAUTHENTICATED by ${name}, with a reason`, async () => {
      const server = await serve({}, { authenticate });
      const error = await errorOf(clientOf(server, name).listTools({}));
      expect(error.findDetails(ErrorInfoSchema)[0]).toMatchObject({
        reason: "UNAUTHENTICATED",
        domain: "handrail.dev",
      });
    });
  }

  test("is refused a 4 MiB body over HTTP/2 from its headers, and the session goes on", async () => {
    const server = await serve({}, { authenticate });
    const session = await http2Session(server);
    const stream = session.request(grpcHeaders("ExecuteTool"));
    const headers = await new Promise<Record<string, unknown>>((resolve) => stream.once("response", resolve));
    const status = fromBinary(
      StatusSchema,
      Buffer.from(String(headers["grpc-status-details-bin"]), "base64"),
    );
    expect([
      headers["grpc-status"],
      status.details.map((any) => anyUnpack(any, ErrorInfoSchema)?.reason),
    ]).toEqual(["16", ["UNAUTHENTICATED"]]);
    for (let i = 0; i < 20; i++) {
      const refused = await http2Request(
        session,
        grpcHeaders("ExecuteTool"),
        envelope(new Uint8Array(4_000_000)),
      );
      expect(refused.headers["grpc-status"]).toBe("16");
    }
    const authorization = "Bearer alice-token";
    const next = await http2Request(session, grpcHeaders("ListTools", { authorization }), envelope());
    expect(next.trailers?.["grpc-status"]).toBe("0");
  });

  test("that goes on sending is told to stop, and the session goes on", async () => {
    const server = await serve({}, { authenticate });
    const session = await http2Session(server);
    for (let i = 0; i < 4; i++) {
      const refused = await http2Request(session, grpcHeaders("ExecuteTool"), new Uint8Array(16_000_000));
      expect(refused.headers["grpc-status"]).toBe("16");
    }
    const authorization = "Bearer alice-token";
    const next = await http2Request(session, grpcHeaders("ListTools", { authorization }), envelope());
    expect(next.trailers?.["grpc-status"]).toBe("0");
  });

  test("is refused over HTTP/1.1 without being told to send the body", async () => {
    const server = await serve({}, { authenticate });
    const socket = await rawSocket(server);
    socket.write(
      "POST /handrail.v1.ToolService/ListTools HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n" +
        "Content-Type: application/json\r\nContent-Length: 4194304\r\n\r\n",
    );
    expect(await readUntil(socket, /\}/)).toMatch(/^HTTP\/1.1 401 [^]*"code":"unauthenticated"/);
  });

  test("may ask for health", async () => {
    const server = await serve({}, { authenticate });
    const health = createClient(Health, createGrpcTransport({ baseUrl: server.url }));
    expect((await health.check(create(HealthCheckRequestSchema))).status).toBe(1);
  });
});

describe("a caller with credentials", () => {
  test("reaches the handler with its principal", async () => {
    const seen: (Principal | undefined)[] = [];
    const server = await serve(
      {
        listTools: (_request, { values }) => {
          seen.push(values.get(kPrincipal));
          return {};
        },
      },
      { authenticate },
    );
    await clientOf(server, "gRPC over h2").listTools(
      {},
      { headers: { authorization: "Bearer alice-token" } },
    );
    expect(seen).toEqual([alice]);
  });

  test("that waits for 100 Continue is told to send the body", async () => {
    const server = await serve();
    const socket = await rawSocket(server);
    socket.write(
      "POST /handrail.v1.ToolService/ListTools HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n" +
        "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n",
    );
    expect(await readUntil(socket, /\r\n\r\n/)).toMatch(/^HTTP\/1.1 100 Continue/);
    socket.write("{}");
    expect(await readUntil(socket, /\}/)).toMatch(/^HTTP\/1.1 200 OK/);
  });
});

test("a server that lets everyone in does not listen beyond loopback", async () => {
  await expect(serve({}, { host: "0.0.0.0" })).rejects.toThrow(
    "refusing to listen on 0.0.0.0 without authentication",
  );
});
