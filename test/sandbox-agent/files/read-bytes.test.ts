import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { truncateSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AgentService, ErrorKind } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { buildParts, TestAgent } from "../test-agent.js";
import { joined, put, readBytes, refusal } from "./file-fixture.js";

let agent: TestAgent;
let open: TestAgent;

beforeAll(async () => {
  const parts = await buildParts();
  agent = TestAgent.boot({ parts });
  open = TestAgent.boot({ parts, config: { readRoots: ["/"] } });
});
afterAll(() => Promise.all([agent.stop(), open.stop()]));

describe("ReadBytes", () => {
  it("streams a whole file in pieces of at most 64 KiB, the first with what is known of it", async () => {
    const content = Buffer.from(Array.from({ length: 300_001 }, (_, index) => index % 251));
    const read = await readBytes(agent, put(agent, "bytes", content));
    expect(joined(read)).toEqual(content);
    expect(read[0]?.info?.sizeBytes).toBe(300_001n);
    expect(read.slice(1).every(({ info }) => info === undefined)).toBe(true);
    expect(Math.max(...read.map(({ data }) => data.length))).toBe(65536);
  });

  it("streams a part", async () => {
    const read = await readBytes(agent, put(agent, "part", "0123456789"), {
      offsetBytes: 3n,
      limitBytes: 4n,
    });
    expect(joined(read).toString()).toBe("3456");
  });

  it("tells of an empty file", async () => {
    expect(await readBytes(agent, put(agent, "empty", ""))).toMatchObject([{ info: { sizeBytes: 0n } }]);
  });

  it("refuses a file with more bytes than are wanted", async () => {
    const detail = await refusal(
      readBytes(agent, put(agent, "much", "x".repeat(101)), { maxFileBytes: 100n }),
    );
    expect(detail).toMatchObject({
      kind: ErrorKind.TOO_LARGE,
      message: expect.stringContaining("101 bytes") as string,
    });
  });

  it("bounds a file of /proc, which has no size", async () => {
    const detail = await refusal(readBytes(open, "/proc/self/maps", { maxFileBytes: 100n }));
    expect(detail.kind).toBe(ErrorKind.TOO_LARGE);
    expect(joined(await readBytes(open, "/proc/self/comm", {})).toString()).toBe("handrail-agent\n");
  });

  it("stops reading when the caller resets the stream", async () => {
    truncateSync(join(agent.root, put(agent, "endless", "")), 1024 ** 4);
    const abort = new AbortController();
    const stream = agent.client.stream(AgentService.method.readBytes, {
      signal: abort.signal,
      onResponse: () => abort.abort(new Error("enough")),
    });
    await stream.send({ path: "endless" });
    await expect(stream.done).rejects.toThrow("enough");
    await expect.poll(() => openFiles("endless")).toBe(0);
  });

  it("keeps the bytes of many readers apart", async () => {
    const hashes = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const content = Buffer.alloc(400_000, index);
        const read = joined(await readBytes(agent, put(agent, `many-${index}`, content)));
        return (
          createHash("md5").update(read).digest("hex") === createHash("md5").update(content).digest("hex")
        );
      }),
    );
    expect(hashes).toEqual(Array.from({ length: 20 }, () => true));
  });
});

function openFiles(name: string): number {
  const list = execFileSync("ls", ["-l", `/proc/${agent.process.pid ?? 0}/fd`]).toString();
  return list.split("\n").filter((line) => line.endsWith(`/${name}`)).length;
}
