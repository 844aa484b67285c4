import { randomUUID } from "node:crypto";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Mode } from "../../gen/handrail/v1/context_pb.js";
import { Admission } from "../../gen/handrail/v1/events_pb.js";
import type { CallEvent } from "../../gen/handrail/v1/events_pb.js";
import { Admitted, Outcome } from "../../gen/handrail/v1/result_pb.js";
import { CallState, CancelOutcome, ToolService } from "../../gen/handrail/v1/tool_service_pb.js";
import { collectEvents, readToEnd, reasonOf } from "../support/rpc-answers.js";
import { startTestService } from "../support/service.js";
import type { TestService } from "../support/service.js";

describe("the service", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService("bubblewrap");
    await service.bash("true");
  });
  afterAll(() => service.close());

  it("answers by gRPC, gRPC-Web and Connect, over HTTP/1.1 and HTTP/2", async () => {
    const baseUrl = service.url;
    const transports = [
      createGrpcTransport({ baseUrl }),
      createGrpcWebTransport({ baseUrl, httpVersion: "1.1" }),
      createGrpcWebTransport({ baseUrl, httpVersion: "2" }),
      createConnectTransport({ baseUrl, httpVersion: "1.1" }),
      createConnectTransport({ baseUrl, httpVersion: "2", useBinaryFormat: false }),
    ];
    for (const transport of transports) {
      const events = await collectEvents(
        createClient(ToolService, transport).executeTool({
          context: { projectId: service.project },
          tool: "bash",
          input: { case: "arguments", value: { command: "echo hello" } },
        }),
      );
      expect(events.map(({ event }) => event.case)).toEqual(["accepted", "started", "output", "result"]);
    }
  });

  it("ends every process when a client goes away, over each protocol", async () => {
    const baseUrl = service.url;
    const transports = [
      createGrpcTransport({ baseUrl }),
      createGrpcWebTransport({ baseUrl, httpVersion: "1.1" }),
      createConnectTransport({ baseUrl, httpVersion: "1.1" }),
      createConnectTransport({ baseUrl, httpVersion: "2" }),
    ];
    for (const transport of transports) {
      const controller = new AbortController();
      const stream = createClient(ToolService, transport).executeTool(
        {
          context: { projectId: service.project },
          tool: "bash",
          input: { case: "arguments", value: { command: "setsid sleep 4447 & (sleep 4448 &) ; sleep 4449" } },
        },
        { signal: controller.signal },
      );
      const reading = collectEvents(stream);
      setTimeout(() => controller.abort(), 500);
      await expect(reading).rejects.toThrow();
      await new Promise((resolve) => setTimeout(resolve, 1000));
      expect((await service.bash("pgrep -fc 'sleep 444[789]' || true")).text.trim()).toBe("0");
    }
  });

  it("says who stopped a call whose client left", async () => {
    const callId = randomUUID();
    const controller = new AbortController();
    const reading = service.run(
      "bash",
      { command: "sleep 30" },
      { signal: controller.signal, request: { callId } },
    );
    setTimeout(() => controller.abort(), 300);
    await expect(reading).rejects.toThrow();
    await expect
      .poll(async () => (await service.tools.getCall({ projectId: service.project, callId })).state)
      .toBe(CallState.ENDED);
    const { result } = await service.tools.getCall({ projectId: service.project, callId });
    expect(result?.outcome).toBe(Outcome.CANCELED);
    expect(result?.abort?.source).toBe(1);
  });

  it("joins a running call under the same id, and both readers get the same events", async () => {
    const callId = randomUUID();
    const args = { command: "for i in 1 2 3 4; do echo $i; sleep 0.2; done" };
    const first = service.run("bash", args, { request: { callId } });
    await new Promise((resolve) => setTimeout(resolve, 300));
    const second = await service.run("bash", args, { request: { callId } });
    expect(second.events[0]?.event).toMatchObject({ value: { admission: Admission.JOINED } });
    expect(second.stdout.toString()).toBe("1\n2\n3\n4\n");
    const seqs = (events: readonly CallEvent[]) => events.filter(({ seq }) => seq > 0).map(({ seq }) => seq);
    expect(seqs(second.events)).toEqual(seqs((await first).events));
  });

  it("starts equal ids that arrive at once only once", async () => {
    const callId = randomUUID();
    const command = `echo ${callId} >> once.txt; sleep 0.2`;
    await Promise.all(
      Array.from({ length: 20 }, () => service.run("bash", { command }, { request: { callId } })),
    );
    expect((await service.bash(`grep -c ${callId} once.txt`)).text.trim()).toBe("1");
  });

  it("refuses a call id that belongs to other arguments", async () => {
    const request = { callId: randomUUID() };
    await service.run("bash", { command: "echo a" }, { request });
    expect(await reasonOf(service.run("bash", { command: "echo b" }, { request }))).toEqual([
      "AlreadyExists",
      "CALL_ID_REUSED",
    ]);
  });

  it("takes the same arguments in another spelling for the same", async () => {
    const call = async (argumentsJson: string, callId: string) =>
      collectEvents(
        service.tools.executeTool({
          context: { projectId: service.project },
          tool: "bash",
          input: { case: "argumentsJson", value: argumentsJson },
          callId,
        }),
      );
    const callId = randomUUID();
    await call('{"command": "echo a", "timeout": 5000}', callId);
    const again = await call('{ "timeout":5.0e3,"command":"echo \\u0061" }', callId);
    expect(again[0]?.event).toMatchObject({ value: { admission: Admission.REPLAYED } });
  });

  it("refuses a retry without a call id", async () => {
    const transport = createGrpcTransport({
      baseUrl: service.url,
      interceptors: [
        (next) => (request) => {
          request.header.set("grpc-previous-rpc-attempts", "1");
          return next(request);
        },
      ],
    });
    const client = createClient(ToolService, transport);
    const pending = collectEvents(
      client.executeTool({ context: { projectId: service.project }, tool: "bash" }),
    );
    expect(await reasonOf(pending)).toEqual(["FailedPrecondition", "CALL_ID_REQUIRED"]);
  });

  it("refuses a call that was canceled before it came", async () => {
    const callId = randomUUID();
    const { outcome } = await service.tools.cancelCall({ projectId: service.project, callId });
    expect(outcome).toBe(CancelOutcome.TOMBSTONE);
    expect(await reasonOf(service.run("bash", { command: "true" }, { request: { callId } }))).toEqual([
      "Aborted",
      "CALL_CANCELED",
    ]);
  });

  it("answers that a call had ended before it was canceled", async () => {
    const callId = randomUUID();
    await service.run("bash", { command: "true" }, { request: { callId } });
    const answer = await service.tools.cancelCall({ projectId: service.project, callId });
    expect(answer.outcome).toBe(CancelOutcome.ALREADY_SETTLED);
    expect(answer.result?.outcome).toBe(Outcome.OK);
  });

  it("names a malformed id in its refusal", async () => {
    const pending = service.run("bash", { command: "true" }, { request: { context: { projectId: "a/b" } } });
    await expect(pending).rejects.toThrow(/context.project_id has the character "\/"/);
  });

  const badArguments: [string, string, string][] = [
    ["an unknown tool", "no_such_tool", "{}"],
    ["text that is no JSON", "bash", "{command: ls}"],
    ["JSON in a JSON string", "bash", JSON.stringify('{"command":"ls"}')],
    ["a duplicate key", "bash", '{"command":"ls","command":"pwd"}'],
    ["an unknown key", "bash", '{"command":"ls","cmd":"pwd"}'],
    ["a missing key", "bash", "{}"],
    ["a list", "bash", "[]"],
    ["a number beyond a double", "bash", '{"command":"ls","timeout":9007199254740993}'],
    ["a NUL in a command", "bash", '{"command":"ls\\u0000"}'],
  ];
  for (const [what, tool, argumentsJson] of badArguments) {
    it(`answers ${what} with a result that the model can mend, and starts nothing`, async () => {
      const events = await collectEvents(
        service.tools.executeTool({
          context: { projectId: service.project },
          tool,
          input: { case: "argumentsJson", value: argumentsJson },
        }),
      );
      const last = events.at(-1)?.event;
      if (last?.case !== "result") throw new Error("no result");
      expect(last.value.outcome).toBe(Outcome.TOOL_ERROR);
      expect(last.value.error?.admitted).toBe(Admitted.NO);
      expect(last.value.error?.message.length).toBeGreaterThan(10);
    });
  }

  it("needs a project or a session for a tool of the sandbox", async () => {
    const { result } = await service.run(
      "bash",
      { command: "true" },
      { request: { context: { projectId: "" } } },
    );
    expect(result.outcome).toBe(Outcome.DENIED);
    expect(result.error?.code).toBe("context.project_required");
  });

  it("gives a session without a project a scratch project of its own", async () => {
    const scratch = { context: { projectId: "", sessionId: "s1" } };
    await service.run("bash", { command: "echo mine > note" }, { request: scratch });
    const { text } = await service.run("read", { path: "note" }, { request: scratch });
    expect(text).toContain("mine");
    expect((await service.bash("ls")).text).not.toContain("note");
  });

  it("lists and admits by the same rule in plan mode", async () => {
    const context = { projectId: service.project, mode: Mode.PLAN };
    const { tools, mode } = await service.tools.listTools({ context });
    expect(tools.map(({ name }) => name)).toEqual(["read", "glob", "grep", "list_files"]);
    expect(mode).toBe(Mode.PLAN);
    const { result } = await service.run("bash", { command: "true" }, { request: { context } });
    expect(result.outcome).toBe(Outcome.DENIED);
    expect(result.error?.code).toBe("tool.mode");
  });

  it("answers an etag that still holds without the tools", async () => {
    const { etag, tools } = await service.tools.listTools({});
    expect(tools.length).toBeGreaterThan(1);
    const again = await service.tools.listTools({ ifNoneMatch: etag });
    expect([again.notModified, again.tools.length]).toEqual([true, 0]);
    const plan = await service.tools.listTools({ ifNoneMatch: etag, context: { mode: Mode.PLAN } });
    expect(plan.notModified).toBe(false);
  });

  it("lists on request what is not available and why", async () => {
    const { unavailable } = await service.tools.listTools({
      includeUnavailable: true,
      context: { mode: Mode.PLAN },
    });
    expect(unavailable.map(({ name, reason }) => [name, reason])).toContainEqual([
      "bash",
      "is not a tool of plan mode",
    ]);
  });

  it("says that an RPC of the contract is not there yet", async () => {
    const projectId = service.project;
    const { tools, sessions } = service;
    const notThere = [
      tools.respondToInput({ projectId }),
      sessions.getSession({ projectId }),
      sessions.setMode({ projectId }),
      readToEnd(sessions.watchSession({ projectId })),
      sessions.listPendingInputs({ projectId }),
    ];
    for (const pending of notThere)
      expect(await reasonOf(pending)).toEqual(["Unimplemented", "NOT_IMPLEMENTED"]);
  });

  it("keeps to a deadline that is too short for anything", async () => {
    const startedAt = performance.now();
    const outcome = await service
      .run("bash", { command: "sleep 5" }, { timeoutMs: 60 })
      .then(({ result }) => Outcome[result.outcome])
      .catch((error: unknown) => Code[ConnectError.from(error).code]);
    expect(["TIMED_OUT", "DeadlineExceeded"]).toContain(outcome);
    expect(performance.now() - startedAt).toBeLessThan(1000);
  });

  it("writes one line for each call, with its outcome", async () => {
    const callId = randomUUID();
    await service.run("bash", { command: "exit 3" }, { request: { callId } });
    const lines = service.log.filter(({ fields }) => fields["call_id"] === callId);
    expect(lines).toHaveLength(1);
    expect(lines[0]?.fields).toMatchObject({ outcome: "TOOL_ERROR", error: "bash.exit", tool: "bash" });
  });
});
