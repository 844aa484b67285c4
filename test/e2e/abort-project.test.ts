import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { AbortSource, Outcome } from "../../gen/handrail/v1/result_pb.js";
import { OnDisconnect } from "../../gen/handrail/v1/tool_service_pb.js";
import { SANDBOX_KINDS, serviceForTest } from "../support/service.js";
import type { TestService } from "../support/service.js";

const post = ({ url }: TestService, path: string, body: string, headers: Record<string, string> = {}) =>
  fetch(`${url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });

for (const kind of SANDBOX_KINDS) {
  describe(`aborting a project on ${kind}`, () => {
    it("ends running, queued and detached calls and what earlier ones left, and closes their turns", async () => {
      const service = await serviceForTest(kind, { HANDRAIL_CALLS_PER_PROJECT: "2" });
      const context = { sessionId: "s", turnId: randomUUID() };
      await service.run("bash", { command: "setsid sleep 7001 >/dev/null 2>&1 &" }, { request: { context } });
      const detachedId = randomUUID();
      const running = service.run("bash", { command: "echo a; sleep 7002" }, { request: { context } });
      const detached = service.run(
        "bash",
        { command: "echo b; sleep 7003" },
        { request: { context, callId: detachedId, onDisconnect: OnDisconnect.DETACH } },
      );
      await sleep(300);
      const queued = service.run("bash", { command: "echo never > queued" }, { request: { context } });
      await sleep(100);
      const answer = await post(service, `/vibe/abort/${service.project}`, '{"reason":"user pressed stop"}');
      expect([answer.status, await answer.json()]).toEqual([
        200,
        expect.objectContaining({ callsAborted: 3, processesKilled: expect.any(Number) as number }),
      ]);
      for (const { result } of await Promise.all([running, detached, queued])) {
        expect(result).toMatchObject({
          outcome: Outcome.CANCELED,
          abort: { source: AbortSource.ABORT_PROJECT, reason: "user pressed stop" },
        });
      }
      const late = await service.run("bash", { command: "echo late > late" }, { request: { context } });
      expect(late.result).toMatchObject({ outcome: Outcome.CANCELED, error: { code: "turn.aborted" } });
      const next = await service.bash("pgrep -fc 'sleep 700[1-3]'; ls");
      expect(next.stdout.toString()).toBe("0\n");
    });

    it("of one session leaves the others alone", async () => {
      const service = await serviceForTest(kind);
      const inSession = (sessionId: string, command: string) =>
        service.run("bash", { command }, { request: { context: { sessionId, turnId: randomUUID() } } });
      await service.bash("true");
      const mine = inSession("mine", "sleep 20");
      const theirs = inSession("theirs", "sleep 1; echo done");
      await sleep(300);
      const answer = await post(service, `/vibe/abort/${service.project}`, '{"sessionId":"mine"}');
      expect(await answer.json()).toMatchObject({ callsAborted: 1 });
      expect((await mine).result.outcome).toBe(Outcome.CANCELED);
      expect((await theirs).stdout.toString()).toBe("done\n");
    });
  });
}

describe("POST /vibe/abort", () => {
  it("takes an empty body, and refuses what is no JSON, another id, an unknown project and GET", async () => {
    const service = await serviceForTest("bubblewrap");
    await service.bash("true");
    const path = `/vibe/abort/${service.project}`;
    expect((await post(service, path, "")).status).toBe(200);
    expect((await post(service, path, "{}", { "content-type": "text/plain" })).status).toBe(415);
    expect((await post(service, path, "{")).status).toBe(400);
    expect((await post(service, path, "[]")).status).toBe(400);
    expect((await post(service, path, '{"projectId":"other"}')).status).toBe(400);
    expect((await post(service, path, JSON.stringify({ reason: "x".repeat(70_000) }))).status).toBe(400);
    expect((await post(service, "/vibe/abort/unknown", "{}")).status).toBe(404);
    expect((await post(service, "/vibe/abort/", "{}")).status).toBe(400);
    expect((await post(service, "/vibe/abort/%zz", "{}")).status).toBe(400);
    expect((await fetch(`${service.url}${path}`)).status).toBe(405);
    expect((await post(service, path, "{}", { origin: "http://evil.example" })).status).toBe(403);
  });

  it("needs the same credentials as every RPC", async () => {
    const directory = await mkdtemp(join(tmpdir(), "handrail-tokens-"));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const file = join(directory, "tokens.json");
    const token = "a-token-of-more-than-32-characters-000";
    await writeFile(file, JSON.stringify([{ token, tenant: "t", rights: ["execute"] }]), { mode: 0o600 });
    const service = await serviceForTest("bubblewrap", { HANDRAIL_TOKENS_FILE: file });
    expect((await post(service, "/vibe/abort/p", "{}")).status).toBe(401);
    expect((await post(service, "/vibe/abort/p", "{}", { authorization: `Bearer ${token}` })).status).toBe(
      404,
    );
  });
});
