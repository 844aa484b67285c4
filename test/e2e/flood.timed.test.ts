import { randomUUID } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { describe, expect, it, onTestFinished } from "vitest";
import { CallState, ToolService } from "../../gen/handrail/v1/tool_service_pb.js";
import { serviceProcessForTest } from "../support/service-process.js";

const MIB = 1024 * 1024;

describe("a flood", () => {
  it("of 400 MB to a reader that has stopped grows the service by less than 32 MB and does not stall the call", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "handrail-flood-"));
    await chmod(dataDir, 0o755);
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
    const service = await serviceProcessForTest({ HANDRAIL_SANDBOX: "local", HANDRAIL_DATA_DIR: dataDir });
    const client = createClient(ToolService, createGrpcTransport({ baseUrl: service.url }));
    const call = (command: string, callId: string) =>
      client.executeTool({
        context: { projectId: "flood" },
        tool: "bash",
        input: { case: "arguments", value: { command } },
        callId,
      });
    for await (const event of call("head -c 20000000 /dev/zero | tr '\\0' x", randomUUID()))
      expect(event).toBeDefined();
    await sleep(500);
    const before = await service.residentBytes();

    const callId = randomUUID();
    const stream = call("head -c 400000000 /dev/zero | tr '\\0' x; echo; echo END", callId)[
      Symbol.asyncIterator
    ]();
    await stream.next();
    let highest = before;
    for (;;) {
      highest = Math.max(highest, await service.residentBytes());
      const { state, result } = await client.getCall({ projectId: "flood", callId });
      if (state === CallState.ENDED) {
        expect(Number(result?.truncation?.originalBytes)).toBe(400_000_005);
        break;
      }
      await sleep(100);
    }
    expect((highest - before) / MIB).toBeLessThan(32);
    await stream.return?.();
  });
});
