import { create, fromJson, toBinary } from "@bufbuild/protobuf";
import type { JsonValue } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Mode } from "../../gen/handrail/v1/context_pb.js";
import {
  ListToolsRequestSchema,
  ListToolsResponseSchema,
  ToolFormat,
} from "../../gen/handrail/v1/tool_service_pb.js";
import { startTestService } from "../support/service.js";
import type { TestService } from "../support/service.js";

const FORMATS = [
  ToolFormat.JSON_SCHEMA,
  ToolFormat.OPENAI,
  ToolFormat.OPENAI_STRICT,
  ToolFormat.ANTHROPIC,
  ToolFormat.GEMINI,
  ToolFormat.MCP,
];

describe("ListTools", () => {
  let service: TestService;
  const get = (query: Record<string, string>) =>
    fetch(
      `${service.url}/handrail.v1.ToolService/ListTools?${new URLSearchParams({ connect: "v1", ...query }).toString()}`,
    );
  const namesOf = async (response: Response) =>
    fromJson(ListToolsResponseSchema, (await response.json()) as JsonValue).tools.map(({ name }) => name);

  beforeAll(async () => {
    service = await startTestService("bubblewrap");
  });
  afterAll(() => service.close());

  it("answers GET with a message as JSON, and lets nobody keep it", async () => {
    const response = await get({ encoding: "json", message: '{"context":{"mode":"MODE_PLAN"}}' });
    expect([response.status, response.headers.get("cache-control")]).toEqual([200, "private, no-store"]);
    expect(await namesOf(response)).toContain("list_files");
  });

  it("answers GET with a message in base64", async () => {
    const message = create(ListToolsRequestSchema, { context: { mode: Mode.PLAN } });
    const base64 = Buffer.from(toBinary(ListToolsRequestSchema, message)).toString("base64url");
    const response = await get({ encoding: "proto", base64: "1", message: base64 });
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/proto"]);
  });

  it("refuses GET with what is no base64", async () => {
    expect((await get({ encoding: "proto", base64: "1", message: "*" })).status).toBe(400);
  });

  it("has the same tools in the same order in every format, each under an etag of its own", async () => {
    const lists = await Promise.all(FORMATS.map((format) => service.tools.listTools({ format })));
    const names = lists.map(({ tools }) => tools.map(({ name }) => name));
    expect(new Set(names.map((list) => list.join())).size).toBe(1);
    expect(new Set(lists.map(({ etag }) => etag)).size).toBe(FORMATS.length);
    for (const [at, format] of FORMATS.entries()) {
      const again = await service.tools.listTools({ format, ifNoneMatch: lists[at]?.etag ?? "" });
      expect([again.notModified, again.tools.length]).toEqual([true, 0]);
    }
  });

  it("refuses a format that there is not, and names those that there are", async () => {
    const request: { format?: ToolFormat } = {};
    Object.assign(request, { format: 99 });
    const error = await service.tools.listTools(request).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConnectError);
    expect([(error as ConnectError).code, (error as ConnectError).rawMessage]).toEqual([
      Code.InvalidArgument,
      "there is no tool format 99; there are JSON_SCHEMA, OPENAI, OPENAI_STRICT, ANTHROPIC, GEMINI, MCP",
    ]);
  });

  it("takes the nulls that a strict format makes a model send", async () => {
    const { result, text } = await service.run("bash", { command: "echo hi", timeout: null, cwd: null });
    expect([result.error, text]).toEqual([undefined, "hi\n"]);
  });
});
