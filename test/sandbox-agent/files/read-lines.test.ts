import { truncateSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ErrorKind, TextLayout } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { buildParts, TestAgent } from "../test-agent.js";
import { put, refusal, text } from "./file-fixture.js";

let agent: TestAgent;
let open: TestAgent;

beforeAll(async () => {
  const parts = await buildParts();
  agent = TestAgent.boot({ parts });
  open = TestAgent.boot({ parts, config: { readRoots: ["/"] } });
});
afterAll(() => Promise.all([agent.stop(), open.stop()]));

describe("ReadLines", () => {
  it("reads lines with what is known of the file", async () => {
    const read = await agent.readLines(put(agent, "a.txt", "one\ntwo\nthree"));
    expect(text(read)).toEqual(["one", "two", "three"]);
    expect(read).toMatchObject({
      atEnd: true,
      linesSeen: 3,
      finalNewline: false,
      scanStopped: false,
      bomBytes: 0,
    });
    expect(read.info).toMatchObject({ path: join(agent.root, "a.txt"), sizeBytes: 13n, mode: 0o644 });
    expect(Buffer.from(read.head).toString()).toBe("one\ntwo\nthree");
  });

  const ends: [content: string, lines: string[], total: number, finalNewline: boolean][] = [
    ["", [], 0, false],
    ["\n", [""], 1, true],
    ["\n\n", ["", ""], 2, true],
    ["a\r\nb\rc\r\n", ["a", "b\rc"], 2, true],
    ["a\r", ["a\r"], 1, false],
  ];
  for (const [content, lines, total, finalNewline] of ends)
    it(`finds the lines of ${JSON.stringify(content)}`, async () => {
      const read = await agent.readLines(put(agent, "ends.txt", content));
      expect(text(read)).toEqual(lines);
      expect(read).toMatchObject({ atEnd: true, linesSeen: total, finalNewline });
    });

  it("tells the total where the first line is past the end", async () => {
    const read = await agent.readLines(put(agent, "short.txt", "1\n2\n"), { firstLine: 9 });
    expect(read).toMatchObject({ lines: [], atEnd: true, linesSeen: 2, finalNewline: true });
  });

  it("never takes text for binary where the sample cuts a character", async () => {
    for (const base of [512, 1000, 4096, 4160, 8192, 65536])
      for (let length = base - 2; length <= base + 2; length += 1) {
        const content = "a".repeat(length) + "漢字かな".repeat(400);
        const read = await agent.readLines(put(agent, "cjk.txt", content), { maxLineBytes: 100_000 });
        expect(read.layout).toBe(TextLayout.BYTES);
        expect(text(read)).toEqual([content]);
      }
  });

  const layouts: [name: string, bytes: Buffer, layout: TextLayout, bomBytes: number][] = [
    ["UTF-8 with a mark", Buffer.from("\ufeffa\n"), TextLayout.BYTES, 3],
    ["Latin-1", Buffer.from("caf\xe9\n", "latin1"), TextLayout.BYTES, 0],
    ["escape sequences", Buffer.from("\x1b[1mGr\u00fc\u00dfe\n"), TextLayout.BYTES, 0],
    ["UTF-16 LE with a mark", Buffer.from("\ufeffh\n", "utf16le"), TextLayout.UTF16LE, 2],
    ["UTF-16 BE with a mark", Buffer.from("\ufeffh\n", "utf16le").swap16(), TextLayout.UTF16BE, 2],
    ["UTF-16 LE without a mark", Buffer.from("hello\n", "utf16le"), TextLayout.UTF16LE, 0],
    ["UTF-16 BE without a mark", Buffer.from("hello\n", "utf16le").swap16(), TextLayout.UTF16BE, 0],
    ["a zero byte in text", Buffer.from("x\0y\n"), TextLayout.BINARY, 0],
    ["a zero byte at the end", Buffer.from("needle\0"), TextLayout.BINARY, 0],
    ["little numbers", Buffer.from([1, 0, 2, 0, 3, 0, 4, 0]), TextLayout.BINARY, 0],
    ["UTF-32", Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0]), TextLayout.BINARY, 0],
    ["zeros", Buffer.alloc(5000), TextLayout.BINARY, 0],
  ];
  for (const [name, bytes, layout, bomBytes] of layouts)
    it(`knows the layout of ${name}`, async () => {
      const read = await agent.readLines(put(agent, "layout", bytes));
      expect([read.layout, read.bomBytes]).toEqual([layout, bomBytes]);
      expect(read.lines.length > 0).toBe(layout !== TextLayout.BINARY);
      expect(Buffer.from(read.head)).toEqual(bytes.subarray(0, 4160));
    });

  it("leaves the byte order mark out of the first line", async () => {
    expect(text(await agent.readLines(put(agent, "bom.txt", "\ufeffusing A;\nB\n")))).toEqual([
      "using A;",
      "B",
    ]);
  });

  it("cuts a huge line with the exact number of bytes left out, and goes on inside it", async () => {
    const line = Array.from({ length: 900_000 }, (_, index) => `"v${index}"`).join(",");
    put(agent, "one.json", `${line}\nnext`);
    const first = await agent.readLines("one.json", { maxLines: 1 });
    expect(text(first)).toEqual([line.slice(0, 10_000)]);
    expect(first.lines[0]?.omittedBytes).toBe(BigInt(line.length - 10_000));
    expect(first).toMatchObject({ linesSeen: 1, atEnd: false });
    const later = await agent.readLines("one.json", { maxLines: 1, lineOffsetBytes: 5_000_000n });
    expect(text(later)).toEqual([line.slice(5_000_000, 5_010_000)]);
    expect(later.lines[0]?.omittedBytes).toBe(BigInt(line.length - 10_000));
  });

  it("cuts a line between characters", async () => {
    const read = await agent.readLines(put(agent, "wide.txt", "漢".repeat(100)), { maxLineBytes: 100 });
    expect(text(read)).toEqual(["漢".repeat(33)]);
    expect(read.lines[0]?.omittedBytes).toBe(201n);
  });

  it("stops before a line that has no room, and not before the first", async () => {
    put(agent, "room.txt", `${"a".repeat(90)}\n${"b".repeat(90)}\n`);
    const tight = await agent.readLines("room.txt", { maxBytes: 100 });
    expect(text(tight)).toEqual(["a".repeat(90)]);
    expect(tight).toMatchObject({ atEnd: false, linesSeen: 2 });
    const tighter = await agent.readLines("room.txt", { maxBytes: 10 });
    expect(text(tighter)).toEqual(["a".repeat(10)]);
  });

  it("reads the first line of 6 GB in less than a second", async () => {
    truncateSync(join(agent.root, put(agent, "big", "first\n")), 6 * 1024 ** 3);
    const start = performance.now();
    const read = await agent.readLines("big", { maxLines: 1 });
    expect(performance.now() - start).toBeLessThan(1000);
    expect([read.layout, ...text(read)]).toEqual([TextLayout.BYTES, "first"]);
    expect(read.atEnd).toBe(false);
  });

  it("looks no longer than it may for a line of 6 GB that is not there", async () => {
    truncateSync(join(agent.root, put(agent, "big2", "first\n")), 6 * 1024 ** 3);
    const start = performance.now();
    const read = await agent.readLines("big2", { firstLine: 999_999_999, scanMs: 300 });
    expect(performance.now() - start).toBeLessThan(1000);
    expect(read).toMatchObject({ lines: [], scanStopped: true, atEnd: false, linesSeen: 2 });
  });

  it("reads files of /proc, which have no size", async () => {
    const read = await open.readLines("/proc/self/status", { maxLines: 1 });
    expect(text(read)).toEqual(["Name:\thandrail-agent"]);
    expect(read.info?.sizeBytes).toBe(0n);
  });

  for (const [name, options, message] of [
    ["firstLine", { firstLine: 0 }, "firstLine 0 is below 1"],
    ["maxBytes", { maxBytes: 2_000_000 }, "maxBytes 2000000 is above the limit of 1048576"],
    ["lineOffsetBytes", { lineOffsetBytes: 3n }, "lineOffsetBytes needs maxLines 1, not 1000"],
  ] as const)
    it(`refuses a wrong ${name}`, async () => {
      const detail = await refusal(agent.readLines(put(agent, "x", "x"), options));
      expect(detail).toMatchObject({ kind: ErrorKind.INVALID, message });
    });
});
