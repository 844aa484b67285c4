import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { serviceForTest } from "../support/service.js";

describe("GET /metrics", () => {
  it("counts calls by tool and outcome, replays, twins and recoveries", async () => {
    const service = await serviceForTest("bubblewrap");
    const callId = randomUUID();
    const request = { callId, context: { sessionId: "s", turnId: "t" } };
    await service.run("bash", { command: "true" }, { request });
    await service.run("bash", { command: "true" }, { request });
    await service.run("bash", { command: "true" }, { request: { ...request, callId: randomUUID() } });
    await service.run("no_such_tool", {});
    await service.removeSandbox();
    await sleep(400);
    await service.bash("exit 1");
    const lines = (await (await fetch(`${service.url}/metrics`)).text()).split("\n");
    expect(lines).toEqual(
      expect.arrayContaining([
        'handrail_calls_total{tool="bash",outcome="OK"} 2',
        'handrail_calls_total{tool="bash",outcome="TOOL_ERROR"} 1',
        'handrail_calls_total{tool="other",outcome="TOOL_ERROR"} 1',
        'handrail_calls_found_total{how="replayed"} 1',
        "handrail_calls_deduplicated_total 1",
        "handrail_calls_recovered_total 1",
        "handrail_sandbox_recoveries_total 1",
        "handrail_calls_running 0",
      ]),
    );
  });

  it("is for those who may manage", async () => {
    const directory = await mkdtemp(join(tmpdir(), "handrail-tokens-"));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const file = join(directory, "tokens.json");
    const [loop, manager] = ["l".repeat(40), "m".repeat(40)];
    const tokens = [
      { token: loop, tenant: "t", rights: ["execute"] },
      { token: manager, tenant: "t", rights: ["manage"] },
    ];
    await writeFile(file, JSON.stringify(tokens), { mode: 0o600 });
    const { url } = await serviceForTest("bubblewrap", { HANDRAIL_TOKENS_FILE: file });
    const status = async (token?: string) => {
      const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
      return (await fetch(`${url}/metrics`, { headers })).status;
    };
    expect([await status(), await status(loop), await status(manager)]).toEqual([401, 403, 200]);
  });
});
