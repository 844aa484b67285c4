import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConnectError, createClient } from "@connectrpc/connect";
import type { Client } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SessionService } from "../../gen/handrail/v1/session_service_pb.js";
import { ToolService } from "../../gen/handrail/v1/tool_service_pb.js";
import { readToEnd, reasonOf } from "../support/rpc-answers.js";
import { startTestService } from "../support/service.js";
import type { TestService } from "../support/service.js";

interface Clients {
  readonly tools: Client<typeof ToolService>;
  readonly sessions: Client<typeof SessionService>;
}

const TOKENS = [
  { token: "token-of-tenant-one", tenant: "one" },
  { token: "token-of-tenant-two", tenant: "two" },
  { token: "token-of-tenant-three", tenant: "three" },
  { token: "token-of-ann-alone", tenant: "one", user: "ann" },
  { token: "token-of-an-approver", tenant: "one", rights: ["respond"] },
];

function clientsFor(url: string, token: string): Clients {
  const transport = createGrpcTransport({
    baseUrl: url,
    interceptors: [
      (next) => (request) => {
        request.header.set("authorization", `Bearer ${token}`);
        return next(request);
      },
    ],
  });
  return { tools: createClient(ToolService, transport), sessions: createClient(SessionService, transport) };
}

/** What an RPC answers when it is asked for something that is not the caller's. */
type Probe = (clients: Clients, target: { projectId: string; callId: string }) => Promise<unknown>;

/** `absent`: it answers as for an id that does not exist. `own`: it works on the caller's own project of that name. */
const ROWS: Readonly<Record<string, { answer: "absent" | "own" | "not built"; probe: Probe }>> = {
  "ToolService.ListTools": {
    answer: "own",
    probe: ({ tools }, { projectId }) => tools.listTools({ context: { projectId } }),
  },
  "ToolService.ExecuteTool": {
    answer: "own",
    probe: ({ tools }, { projectId, callId }) =>
      readToEnd(tools.executeTool({ context: { projectId }, tool: "bash", callId })),
  },
  "ToolService.RunTool": {
    answer: "own",
    probe: ({ tools }, { projectId }) => tools.runTool({ context: { projectId }, tool: "bash" }),
  },
  "ToolService.AttachCall": {
    answer: "absent",
    probe: ({ tools }, target) => readToEnd(tools.attachCall(target)),
  },
  "ToolService.GetCall": { answer: "absent", probe: ({ tools }, target) => tools.getCall(target) },
  "ToolService.CancelCall": { answer: "absent", probe: ({ tools }, target) => tools.cancelCall(target) },
  "ToolService.RespondToInput": {
    answer: "not built",
    probe: ({ tools }, { projectId }) => tools.respondToInput({ projectId, inputId: "i" }),
  },
  "ToolService.ReadArtifact": {
    answer: "absent",
    probe: ({ tools }, { projectId }) => readToEnd(tools.readArtifact({ projectId, artifactId: "a" })),
  },
  "SessionService.GetSession": {
    answer: "not built",
    probe: ({ sessions }, { projectId }) => sessions.getSession({ projectId, sessionId: "s" }),
  },
  "SessionService.SetMode": {
    answer: "not built",
    probe: ({ sessions }, { projectId }) => sessions.setMode({ projectId, sessionId: "s" }),
  },
  "SessionService.WatchSession": {
    answer: "not built",
    probe: ({ sessions }, { projectId }) => readToEnd(sessions.watchSession({ projectId, sessionId: "s" })),
  },
  "SessionService.ListPendingInputs": {
    answer: "not built",
    probe: ({ sessions }, { projectId }) => sessions.listPendingInputs({ projectId }),
  },
  "SessionService.AbortProject": {
    answer: "absent",
    probe: ({ sessions }, { projectId }) => sessions.abortProject({ projectId }),
  },
};

describe("tenants", () => {
  let service: TestService;
  let one: Clients;
  let two: Clients;
  let three: Clients;
  let directory: string;
  const target: { projectId: string; callId: string } = { projectId: "of-tenant-one", callId: randomUUID() };

  const bash = (clients: Clients, command: string, callId: string = randomUUID(), userId = "") =>
    clients.tools.runTool({
      context: { projectId: target.projectId, userId },
      tool: "bash",
      input: { case: "arguments", value: { command } },
      callId,
    });

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "handrail-tokens-"));
    const file = join(directory, "tokens.json");
    await writeFile(file, JSON.stringify(TOKENS));
    service = await startTestService("bubblewrap", { HANDRAIL_TOKENS_FILE: file });
    one = clientsFor(service.url, "token-of-tenant-one");
    two = clientsFor(service.url, "token-of-tenant-two");
    three = clientsFor(service.url, "token-of-tenant-three");
    await bash(one, "echo secret-of-one > file", target.callId);
  });
  afterAll(async () => {
    await service.close();
    await rm(directory, { recursive: true });
  });

  it("has a row for every RPC of the contract", () => {
    const rpcs = [ToolService, SessionService].flatMap((descriptor) =>
      descriptor.methods.map(({ name }) => `${descriptor.name}.${name}`),
    );
    expect(Object.keys(ROWS).sort()).toEqual(rpcs.sort());
  });

  for (const [name, { answer, probe }] of Object.entries(ROWS)) {
    it(`answers ${name} for another tenant's project as ${answer}`, async () => {
      const absent = { projectId: "no-such-project", callId: "no-such-call" };
      if (answer === "own") {
        await probe(three, target);
        return;
      }
      const words = (asked: typeof target) =>
        probe(two, asked).then(String, (error: unknown) => ConnectError.from(error).message);
      expect(await words(target)).toBe(await words(absent));
      expect(await reasonOf(probe(two, target))).toEqual(
        answer === "absent" ? ["NotFound", "NOT_FOUND"] : ["Unimplemented", "NOT_IMPLEMENTED"],
      );
    });
  }

  it("gives equal project ids of two tenants two projects", async () => {
    const { result } = await bash(three, "ls");
    expect(JSON.stringify(result?.content)).not.toContain("file");
  });

  it("refuses a request without a token", async () => {
    expect(await reasonOf(service.tools.listTools({}))).toEqual(["Unauthenticated", "UNAUTHENTICATED"]);
  });

  it("refuses an RPC whose right the token lacks", async () => {
    const approver = clientsFor(service.url, "token-of-an-approver");
    expect(await reasonOf(bash(approver, "true"))).toEqual(["PermissionDenied", "PERMISSION_DENIED"]);
  });

  it("refuses a user id that is not the token's", async () => {
    const ann = clientsFor(service.url, "token-of-ann-alone");
    expect(await reasonOf(bash(ann, "true", randomUUID(), "bob"))).toEqual([
      "PermissionDenied",
      "PERMISSION_DENIED",
    ]);
    await expect(bash(ann, "true", randomUUID(), "ann")).resolves.toBeDefined();
  });
});
