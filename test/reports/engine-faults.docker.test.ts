import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Code, ConnectError } from "@connectrpc/connect";
import Docker from "dockerode";
import { afterAll, describe, expect, it } from "vitest";
import { ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb.js";
import { Admitted, Outcome } from "../../gen/handrail/v1/result_pb.js";
import { EngineProxy } from "../sandbox/docker/engine-proxy.js";
import { startTestService } from "../support/service.js";
import type { TestService } from "../support/service.js";
import { bodyOf } from "./on-each-sandbox.js";

const docker = new Docker();

/** The status with which a call is refused, and how long that took. */
async function refusalOf(
  service: TestService,
): Promise<{ error: ConnectError; reason: string; elapsedMs: number }> {
  const startedAt = performance.now();
  const error = await service.bash("echo hi").then(
    ({ result }) => {
      throw new Error(`the call was accepted and ended with ${result.error?.code ?? "success"}`);
    },
    (reason: unknown) => ConnectError.from(reason),
  );
  const [info] = error.findDetails(ErrorInfoSchema);
  return { error, reason: info?.reason ?? "", elapsedMs: performance.now() - startedAt };
}

/** Ids of all containers of the installation that a service is. */
async function containersOf(service: TestService): Promise<string[]> {
  const { Config } = await (await service.container()).inspect();
  const filters = { label: [`handrail.instance=${Config.Labels["handrail.instance"] ?? ""}`] };
  return (await docker.listContainers({ all: true, filters })).map(({ Id }) => Id);
}

describe("faults of the engine", () => {
  const services: TestService[] = [];
  const start = async (environment: Record<string, string> = {}): Promise<TestService> => {
    const service = await startTestService("docker", environment);
    services.push(service);
    return service;
  };
  afterAll(() => Promise.all(services.map((service) => service.close())));

  it.concurrent("gives calls after a removal one new container (B041)", async () => {
    const service = await start();
    const before = bodyOf(await service.bash("echo $HOSTNAME"));
    await (await service.container()).remove({ force: true });
    const ran = await Promise.all([1, 2, 3, 4, 5].map(() => service.bash("echo $HOSTNAME")));
    const names = new Set(ran.map(bodyOf));
    expect(ran.map(({ result }) => result.outcome)).toEqual(Array(5).fill(Outcome.OK));
    expect(names.size).toBe(1);
    expect(names).not.toContain(before);
    expect(await containersOf(service)).toHaveLength(1);
  });

  it.concurrent("runs no command twice that had begun when its sandbox was lost (B013)", async () => {
    const lose = async (kill: "kill" | "remove") => {
      const service = await start();
      await service.bash("true");
      const container = await service.container();
      const running = service.bash("echo run >> /workspace/log.txt; sleep 5; echo done");
      await sleep(1500);
      await (kill === "kill" ? container.kill() : container.remove({ force: true }));
      const { result } = await running;
      expect([kill, result.outcome]).toEqual([kill, Outcome.SANDBOX_LOST]);
      expect(result.error).toMatchObject({ admitted: Admitted.YES, retryable: false });
      expect(bodyOf(await service.bash("wc -l < log.txt"))).toBe("1\n");
    };
    await Promise.all([lose("kill"), lose("remove")]);
  });

  it.concurrent("unpauses a paused container and never replaces it (B053)", async () => {
    const service = await start();
    await service.bash("touch /tmp/kept");
    const container = await service.container();
    await container.pause();
    const idle = await service.bash("echo hi; ls /tmp/kept");
    expect(bodyOf(idle)).toBe("hi\n/tmp/kept\n");
    const running = service.bash("sleep 2; echo x");
    await sleep(700);
    await container.pause();
    await sleep(5000);
    await container.unpause();
    const paused = await running;
    expect([paused.result.outcome, bodyOf(paused)]).toEqual([Outcome.OK, "x\n"]);
    expect(paused.elapsedMs).toBeLessThan(9000);
    expect((await service.container()).id).toBe(container.id);
  });

  it.concurrent("says once what a replaced sandbox has lost and kept (B121)", async () => {
    const service = await start();
    await service.bash("touch /workspace/a /tmp/b ~/c");
    await (await service.container()).remove({ force: true });
    const next = await service.bash("ls /workspace/a ~/c /tmp/b");
    expect(next.stdout.toString()).toBe("/home/agent/c\n/workspace/a\n");
    expect(next.result.notices).toHaveLength(1);
    expect(next.text).toMatch(/sandbox was replaced[^]*workspace[^]*kept[^]*\/tmp[^]*lost/);
    expect((await service.bash("true")).result.notices).toEqual([]);
  });

  it.concurrent("tells a missing image from a missing container, and fails fast (B113)", async () => {
    const tag = `handrail-report-${randomUUID().slice(0, 8)}`;
    await docker.getImage("handrail-sandbox:latest").tag({ repo: tag, tag: "gone" });
    const service = await start({ HANDRAIL_SANDBOX_IMAGE: `${tag}:gone` });
    try {
      await service.bash("true");
      await sleep(2500);
      await (await service.container()).remove({ force: true });
    } finally {
      await docker.getImage(`${tag}:gone`).remove();
    }
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const { error, reason, elapsedMs } = await refusalOf(service);
      expect([error.code, reason]).toEqual([Code.FailedPrecondition, "IMAGE_MISSING"]);
      expect(error.rawMessage).toContain(`${tag}:gone`);
      expect(error.rawMessage).toContain("docker pull");
      expect(elapsedMs).toBeLessThan(1000);
    }
  });

  it.concurrent(
    "ends a running call when the engine goes away, refuses others, and recovers by itself (B137)",
    async () => {
      const proxy = new EngineProxy();
      await proxy.mend();
      const service = await start({ DOCKER_HOST: `unix://${proxy.socketPath}` });
      try {
        await service.bash("true");
        await sleep(2500);
        const running = service.bash("echo begun; sleep 20.5");
        await sleep(700);
        const cutAt = performance.now();
        await proxy.cut();
        const { result } = await running;
        expect(performance.now() - cutAt).toBeLessThan(3000);
        expect(result).toMatchObject({
          outcome: Outcome.FAILED,
          error: { code: "sandbox.engine_unreachable", admitted: Admitted.YES, retryable: false },
        });
        const { error, reason, elapsedMs } = await refusalOf(service);
        expect([error.code, reason]).toEqual([Code.Unavailable, "ENGINE_UNREACHABLE"]);
        expect(elapsedMs).toBeLessThan(1000);
        await proxy.mend();
        expect(bodyOf(await service.bash("echo back; pgrep -fc 'sleep 20.[5]'"))).toBe("back\n0\n");
        await proxy.cut();
        await proxy.mend();
        const idle = await service.bash("echo back");
        expect([bodyOf(idle), idle.elapsedMs < 5000]).toEqual(["back\n", true]);
      } finally {
        await service.close();
        await proxy.remove();
      }
    },
  );
});
