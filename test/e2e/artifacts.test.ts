import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { ReadArtifactResponse } from "../../gen/handrail/v1/tool_service_pb.js";
import { reasonOf, readToEnd } from "../support/rpc-answers.js";
import { SANDBOX_KINDS, serviceForTest } from "../support/service.js";
import type { TestService } from "../support/service.js";

async function readArtifact(service: TestService, artifactId: string, range: object = {}) {
  const pieces: ReadArtifactResponse[] = [];
  const request = { projectId: service.project, artifactId, ...range };
  for await (const piece of service.tools.readArtifact(request)) pieces.push(piece);
  return { bytes: Buffer.concat(pieces.map(({ data }) => data)), pieces };
}

const lines = (count: number): string => Array.from({ length: count }, (_, i) => `line ${i + 1}\n`).join("");

for (const kind of SANDBOX_KINDS) {
  describe(`the whole of a long output on ${kind}`, () => {
    it("is read by ReadArtifact, and by read and grep at the path that the result names", async () => {
      const service = await serviceForTest(kind);
      const { result, text } = await service.bash("for i in $(seq 20000); do echo line $i; done");
      const whole = lines(20_000);
      const { artifactId = "", originalBytes } = result.truncation ?? {};
      expect(originalBytes).toBe(BigInt(whole.length));
      const { bytes, pieces } = await readArtifact(service, artifactId);
      expect(bytes.toString()).toBe(whole);
      expect(
        pieces.every(({ totalBytes, data }) => Number(totalBytes) === whole.length && data.length <= 65_536),
      ).toBe(true);
      const part = await readArtifact(service, artifactId, { offsetBytes: 70_001n, limitBytes: 66_000n });
      expect(part.bytes.toString()).toBe(whole.slice(70_001, 136_001));
      expect(part.pieces[0]?.offsetBytes).toBe(70_001n);
      expect((await readArtifact(service, artifactId, { offsetBytes: 10_000_000n })).bytes.length).toBe(0);

      const path = /kept for a time in (\S+?):/.exec(text)?.[1] ?? "";
      expect((await service.run("read", { path, offset: 15_000, limit: 1 })).text).toContain("line 15000");
      expect((await service.run("grep", { pattern: "^line 1999[89]$", path })).text).toContain("line 19998");
    });

    it("has the raw bytes of both streams, up to the limit of a call, and of a call that was stopped too", async () => {
      const service = await serviceForTest(kind, { HANDRAIL_SPOOL_MIB: "1" });
      const { result, text } = await service.bash(
        "printf '\\033[1m\\377'; head -c 40000 /dev/zero | tr '\\0' o; echo err >&2; head -c 3M /dev/zero",
      );
      const { bytes } = await readArtifact(service, result.truncation?.artifactId ?? "");
      expect(bytes.length).toBe(1024 * 1024);
      expect(text).toContain("the beginning of the output is kept");
      expect([...bytes.subarray(0, 5)]).toEqual([0x1b, 0x5b, 0x31, 0x6d, 0xff]);
      expect(bytes.includes("err\n")).toBe(true);

      const stopped = await service.bash("head -c 100000 /dev/zero | tr '\\0' s; sleep 20", { timeout: 700 });
      const kept = await readArtifact(service, stopped.result.truncation?.artifactId ?? "");
      expect(kept.bytes.length).toBe(100_000);
    });

    it("is not kept of a short output, and is gone after its time with a clear answer", async () => {
      const service = await serviceForTest(kind, { HANDRAIL_RESULT_KEEP_MS: "1500" });
      const short = await service.bash("echo short; ls ~/.handrail/artifacts 2>/dev/null | wc -l");
      expect(short.stdout.toString()).toBe("short\n0\n");
      const { result } = await service.bash("seq 20000");
      const artifactId = result.truncation?.artifactId ?? "";
      expect((await readArtifact(service, artifactId)).bytes.length).toBeGreaterThan(100_000);
      const request = { projectId: service.project, artifactId };
      await expect
        .poll(() => reasonOf(readToEnd(service.tools.readArtifact(request))).catch(() => "there"), {
          timeout: 10_000,
          interval: 200,
        })
        .toEqual(["NotFound", "NOT_FOUND"]);
    });

    it("of a call with the longest id has an id of its own, and bad requests are refused", async () => {
      const service = await serviceForTest(kind);
      const callId = "c".repeat(128);
      const { result } = await service.run("bash", { command: "seq 20000" }, { request: { callId } });
      const artifactId = result.truncation?.artifactId ?? "";
      expect((await readArtifact(service, artifactId)).bytes.toString()).toContain("\n19999\n");
      const refused = (request: object) =>
        reasonOf(
          readToEnd(service.tools.readArtifact({ projectId: service.project, artifactId, ...request })),
        );
      expect(await refused({ artifactId: randomUUID() })).toEqual(["NotFound", "NOT_FOUND"]);
      expect(await refused({ artifactId: ".." })).toEqual(["NotFound", "NOT_FOUND"]);
      expect(await refused({ artifactId: "../x" })).toEqual(["InvalidArgument", "INVALID_REQUEST"]);
      expect(await refused({ artifactId: "" })).toEqual(["InvalidArgument", "INVALID_REQUEST"]);
      expect(await refused({ projectId: "other" })).toEqual(["NotFound", "NOT_FOUND"]);
      expect(await refused({ offsetBytes: -1n })).toEqual(["InvalidArgument", "INVALID_REQUEST"]);
      const far = 2n ** 63n - 1n;
      expect((await readArtifact(service, artifactId, { offsetBytes: far })).bytes.length).toBe(0);
      expect((await readArtifact(service, artifactId, { limitBytes: far })).bytes.length).toBeGreaterThan(
        100_000,
      );
    });

    it("takes nothing else away in time, though a command put a link in the place of its directory", async () => {
      const service = await serviceForTest(kind, { HANDRAIL_RESULT_KEEP_MS: "1000" });
      const old = "touch -d @1000000000 mine output.mine";
      await service.bash(
        `${old}; rm -rf ~/.handrail/artifacts; mkdir -p ~/.handrail; ln -s "$PWD" ~/.handrail/artifacts`,
      );
      await sleep(2500);
      expect((await service.bash("ls")).stdout.toString()).toBe("mine\noutput.mine\n");
      await service.bash(
        "rm ~/.handrail/artifacts; mkdir ~/.handrail/artifacts; touch -d @1000000000 ~/.handrail/artifacts/mine",
      );
      await sleep(2500);
      expect((await service.bash("ls ~/.handrail/artifacts")).stdout.toString()).toBe("mine\n");
    });
  });
}
