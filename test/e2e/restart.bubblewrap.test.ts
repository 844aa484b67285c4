import { randomUUID } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { kill } from "node:process";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { describe, expect, it, onTestFinished } from "vitest";
import { Admission } from "../../gen/handrail/v1/events_pb.js";
import { Admitted, Outcome } from "../../gen/handrail/v1/result_pb.js";
import { SessionService } from "../../gen/handrail/v1/session_service_pb.js";
import { CallState, OnDisconnect, ToolService } from "../../gen/handrail/v1/tool_service_pb.js";
import { collectEvents, reasonOf } from "../support/rpc-answers.js";
import { outcomeOf } from "../support/service.js";
import { serviceProcessForTest } from "../support/service-process.js";

async function newDataDir(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), "handrail-restart-"));
  await chmod(dataDir, 0o755);
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  return dataDir;
}

const projectId = "p";

async function start(dataDir: string) {
  const service = await serviceProcessForTest({ HANDRAIL_SANDBOX: "local", HANDRAIL_DATA_DIR: dataDir });
  const transport = createGrpcTransport({ baseUrl: service.url });
  const tools = createClient(ToolService, transport);
  const bash = (command: string, callId: string, request: object = {}) =>
    tools.executeTool({
      context: { projectId, sessionId: "s", turnId: randomUUID() },
      tool: "bash",
      input: { case: "arguments", value: { command } },
      callId,
      ...request,
    });
  const die = async () => {
    kill(service.pid, "SIGKILL");
    await service.ended;
  };
  return { ...service, tools, bash, die, sessions: createClient(SessionService, transport) };
}

describe("a service that is killed and started again", () => {
  it("has every result that it gave, replays it at its seq, and starts no call twice", async () => {
    const dataDir = await newDataDir();
    const first = await start(dataDir);
    const callId = randomUUID();
    const before = await collectEvents(first.bash("echo once >> log; seq 3", callId));
    await first.die();

    const { tools, bash, sessions } = await start(dataDir);
    const found = await tools.getCall({ projectId, callId });
    expect(found).toMatchObject({ state: CallState.ENDED, tool: "bash", sessionId: "s" });
    expect(found.result).toEqual(outcomeOf(before, 0).result);
    expect(found.lastSeq).toBe(before.at(-1)?.seq);
    const attached = await collectEvents(tools.attachCall({ projectId, callId }));
    expect(attached.map(({ event }) => event.case)).toEqual(["accepted", "gap", "result"]);
    expect(attached.at(-1)?.seq).toBe(found.lastSeq);
    const replayed = await collectEvents(bash("echo once >> log; seq 3", callId));
    expect(replayed[0]?.event).toMatchObject({ value: { admission: Admission.REPLAYED } });
    expect(await reasonOf(collectEvents(bash("other", callId)))).toEqual(["AlreadyExists", "CALL_ID_REUSED"]);
    expect(
      (
        await tools.runTool({
          context: { projectId },
          tool: "bash",
          input: { case: "arguments", value: { command: "wc -l < log" } },
        })
      ).result?.content[0]?.part.value,
    ).toMatchObject({ text: "1\n" });
    expect(await sessions.abortProject({ projectId })).toMatchObject({ callsAborted: 0 });
  });

  it("ends what ran as INTERRUPTED, admitted UNKNOWN, for good, and kills what it had started", async () => {
    const dataDir = await newDataDir();
    const first = await start(dataDir);
    const callId = randomUUID();
    const marker = `7${Math.floor(Math.random() * 1e6)}`;
    const running = first.bash(`echo once >> log; echo begun; sleep ${marker}`, callId, {
      onDisconnect: OnDisconnect.DETACH,
    });
    for await (const { event } of running) if (event?.event.case === "output") break;
    await first.die();

    const second = await start(dataDir);
    const { result, state } = await second.tools.getCall({ projectId, callId });
    expect(state).toBe(CallState.ENDED);
    expect(result).toMatchObject({
      outcome: Outcome.INTERRUPTED,
      error: { code: "call.interrupted", admitted: Admitted.UNKNOWN, retryable: false },
    });
    const attached = await collectEvents(second.tools.attachCall({ projectId, callId, afterSeq: 3 }));
    expect(outcomeOf(attached, 0).result).toEqual(result);
    const again = await collectEvents(second.bash(`echo once >> log; echo begun; sleep ${marker}`, callId));
    expect(outcomeOf(again, 0).result).toEqual(result);
    const looked = await collectEvents(second.bash(`wc -l < log; pgrep -fc 'sleep ${marker}'`, randomUUID()));
    expect(outcomeOf(looked, 0).stdout.toString()).toBe("1\n0\n");
    await second.die();
    const third = await start(dataDir);
    expect((await third.tools.getCall({ projectId, callId })).result).toEqual(result);
  });

  it("goes on counting generations and recoveries", async () => {
    const dataDir = await newDataDir();
    const first = await start(dataDir);
    await collectEvents(first.bash("true", randomUUID()));
    await first.die();
    const second = await start(dataDir);
    await rm(join(dataDir, "sandboxes"), { recursive: true, force: true });
    const events = await collectEvents(second.bash("true", randomUUID()));
    expect(outcomeOf(events, 0).result).toMatchObject({ outcome: Outcome.OK, recovered: true });
    expect(events.at(-1)?.generation).toBe(2);
  });

  it("does not start beside one that has its directory, and says so in one line", async () => {
    const dataDir = await newDataDir();
    await start(dataDir);
    await expect(start(dataDir)).rejects.toThrow(
      /^the service ended before it listened: handrail: [^\n]*state[^\n]*\n?$/,
    );
  });
});
