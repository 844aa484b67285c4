import { Code, createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { describe, expect, test } from "vitest";

import { ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb.js";
import { AgentService } from "../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { ToolService } from "../../gen/handrail/v1/tool_service_pb.js";
import { errorOf } from "./clients.js";
import { envelope, http2Request, http2Session, rawHttp1 } from "./raw-http.js";
import { serve } from "./serve.js";

const listTools = "/handrail.v1.ToolService/ListTools";

describe("GET of an RPC without side effects", () => {
  test("is answered and not to be cached", async () => {
    const server = await serve();
    const answer = await fetch(`${server.url}${listTools}?connect=v1&encoding=json&message={}`);
    expect([answer.status, answer.headers.get("cache-control"), await answer.json()]).toEqual([
      200,
      "private, no-store",
      { etag: "v1" },
    ]);
  });

  test("is answered to a Connect client", async () => {
    const server = await serve();
    const transport = createConnectTransport({ baseUrl: server.url, httpVersion: "1.1", useHttpGet: true });
    expect((await createClient(ToolService, transport).listTools({ ifNoneMatch: "ü".repeat(50) })).etag).toBe(
      "v1",
    );
  });

  test("keeps the caching that the handler chose", async () => {
    const server = await serve({
      listTools: (_request, { responseHeader }) => {
        responseHeader.set("cache-control", "max-age=60");
        return {};
      },
    });
    const answer = await fetch(`${server.url}${listTools}?encoding=json&message={}`);
    expect(answer.headers.get("cache-control")).toBe("max-age=60");
  });

  for (const query of [
    "encoding=proto&base64=1&message=*",
    "encoding=proto&base64=1&message=A",
    "encoding=json&message={",
    "encoding=json",
    "encoding=json&message=%ff",
  ]) {
    test(`with the query ${query} is 400`, async () => {
      const server = await serve();
      const answer = await fetch(`${server.url}${listTools}?${query}`);
      expect([answer.status, await answer.json()]).toEqual([
        400,
        expect.objectContaining({ code: "invalid_argument" }),
      ]);
    });
  }

  test("is 405 for an RPC with side effects", async () => {
    const server = await serve();
    const answer = await fetch(`${server.url}/handrail.v1.ToolService/RunTool?encoding=json&message={}`);
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST"]);
  });
});

describe("what the service does not have", () => {
  test("an unknown method is UNIMPLEMENTED over gRPC and named", async () => {
    const server = await serve();
    const headers = {
      ":method": "POST",
      ":path": "/handrail.v1.ToolService/Nope",
      "content-type": "application/grpc",
    };
    const answer = await http2Request(await http2Session(server), headers, envelope());
    expect([answer.headers["grpc-status"], answer.headers["grpc-message"]]).toEqual([
      "12",
      expect.stringContaining("/handrail.v1.ToolService/Nope"),
    ]);
  });

  test("an unknown service is UNIMPLEMENTED over Connect and named", async () => {
    const server = await serve();
    const transport = createConnectTransport({ baseUrl: server.url, httpVersion: "1.1" });
    const error = await errorOf(createClient(AgentService, transport).hello({}));
    expect([error.code, error.findDetails(ErrorInfoSchema)[0]?.reason]).toEqual([
      Code.Unimplemented,
      "NOT_IMPLEMENTED",
    ]);
  });

  test("a path that is no RPC is 404 with a hint", async () => {
    const server = await serve();
    const answer = await fetch(`${server.url}/favicon.ico`);
    expect([answer.status, await answer.text()]).toEqual([
      404,
      expect.stringMatching(/Handrail.*reflection/),
    ]);
  });

  test("gRPC over HTTP/1.1 is refused with what to use", async () => {
    const server = await serve();
    const head = `POST ${listTools} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/grpc\r\nContent-Length: 0`;
    expect(await rawHttp1(server, head)).toMatch(/^HTTP\/1.1 505 [^]*gRPC needs HTTP\/2/);
  });

  test("another content type is 415 with those that are taken", async () => {
    const server = await serve();
    const answer = await fetch(`${server.url}${listTools}`, { method: "POST", body: "a" });
    expect([answer.status, await answer.text()]).toEqual([415, expect.stringContaining("application/json")]);
  });

  for (const path of ["//", "/%", "/?\u{1F600}", "/%00", "*"]) {
    test(`the path ${path} does no harm`, async () => {
      const server = await serve();
      await rawHttp1(server, `GET ${encodeURI(path).replace("%25", "%")} HTTP/1.1\r\nHost: localhost`);
      expect(await rawHttp1(server, "GET /healthz HTTP/1.1\r\nHost: localhost")).toMatch(/^HTTP\/1.1 200 /);
    });
  }
});

test("GET / tells what this is and how to call it", async () => {
  const server = await serve({}, { version: "1.2.3" });
  const page = await (await fetch(server.url)).text();
  expect(page).toMatch(/^Handrail 1\.2\.3: /);
  expect(page).toContain(`buf curl --http2-prior-knowledge --list-methods ${server.url}`);
});

test("a handler that throws what is no error is INTERNAL and the server goes on", async () => {
  const server = await serve({
    listTools: () => {
      // eslint-disable-next-line @typescript-eslint/only-throw-error
      throw "nothing";
    },
  });
  const post = () =>
    fetch(`${server.url}${listTools}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
    });
  expect([(await post()).status, (await post()).status]).toEqual([500, 500]);
});
