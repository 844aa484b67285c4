import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync, linkSync, chmodSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AgentService, ErrorKind, TextLayout } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import type {
  ReadBytesResponse,
  ReadLinesResponse,
} from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { AgentFailure } from "../../../src/sandbox/channel/agent-client.js";
import { buildParts, TestAgent } from "../test-agent.js";
import type { BuiltAgent } from "../test-agent.js";

let parts: BuiltAgent;
let agent: TestAgent;
let open: TestAgent;

beforeAll(async () => {
  parts = await buildParts();
  agent = TestAgent.boot({ parts });
  open = TestAgent.boot({ parts, config: { readRoots: ["/"] } });
});
afterAll(() => Promise.all([agent.stop(), open.stop()]));

function put(name: string, content: string | Uint8Array, where = agent): string {
  writeFileSync(join(where.root, name), content);
  return name;
}

function text({ lines }: ReadLinesResponse): string[] {
  return lines.map(({ data }) => Buffer.from(data).toString());
}

async function refusal(promise: Promise<unknown>): Promise<AgentFailure["detail"]> {
  const error = await promise.catch((thrown: unknown) => thrown);
  if (!(error instanceof AgentFailure)) throw new Error(`no AgentFailure: ${String(error)}`);
  return error.detail;
}

async function readBytes(path: string, limits: object = {}, where = agent): Promise<ReadBytesResponse[]> {
  const responses: ReadBytesResponse[] = [];
  const stream = where.client.stream(AgentService.method.readBytes, {
    signal: new AbortController().signal,
    onResponse: (response) => void responses.push(response),
  });
  await stream.send({ path, ...limits });
  stream.end();
  await stream.done;
  return responses;
}

function joined(responses: readonly ReadBytesResponse[]): Buffer {
  return Buffer.concat(responses.map(({ data }) => data));
}

describe("ReadLines", () => {
  it("reads lines with what is known of the file", async () => {
    const read = await agent.readLines(put("a.txt", "one\ntwo\nthree"));
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
      const read = await agent.readLines(put("ends.txt", content));
      expect(text(read)).toEqual(lines);
      expect(read).toMatchObject({ atEnd: true, linesSeen: total, finalNewline });
    });

  it("tells the total where the first line is past the end", async () => {
    const read = await agent.readLines(put("short.txt", "1\n2\n"), { firstLine: 9 });
    expect(read).toMatchObject({ lines: [], atEnd: true, linesSeen: 2, finalNewline: true });
  });

  it("never takes text for binary where the sample cuts a character", async () => {
    for (const base of [512, 1000, 4096, 4160, 8192, 65536])
      for (let length = base - 2; length <= base + 2; length += 1) {
        const content = "a".repeat(length) + "漢字かな".repeat(400);
        const read = await agent.readLines(put("cjk.txt", content), { maxLineBytes: 100_000 });
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
      const read = await agent.readLines(put("layout", bytes));
      expect([read.layout, read.bomBytes]).toEqual([layout, bomBytes]);
      expect(read.lines.length > 0).toBe(layout !== TextLayout.BINARY);
      expect(Buffer.from(read.head)).toEqual(bytes.subarray(0, 4160));
    });

  it("leaves the byte order mark out of the first line", async () => {
    expect(text(await agent.readLines(put("bom.txt", "\ufeffusing A;\nB\n")))).toEqual(["using A;", "B"]);
  });

  it("cuts a huge line with the exact number of bytes left out, and goes on inside it", async () => {
    const line = Array.from({ length: 900_000 }, (_, index) => `"v${index}"`).join(",");
    put("one.json", `${line}\nnext`);
    const first = await agent.readLines("one.json", { maxLines: 1 });
    expect(text(first)).toEqual([line.slice(0, 10_000)]);
    expect(first.lines[0]?.omittedBytes).toBe(BigInt(line.length - 10_000));
    expect(first).toMatchObject({ linesSeen: 1, atEnd: false });
    const later = await agent.readLines("one.json", { maxLines: 1, lineOffsetBytes: 5_000_000n });
    expect(text(later)).toEqual([line.slice(5_000_000, 5_010_000)]);
    expect(later.lines[0]?.omittedBytes).toBe(BigInt(line.length - 10_000));
  });

  it("cuts a line between characters", async () => {
    const read = await agent.readLines(put("wide.txt", "漢".repeat(100)), { maxLineBytes: 100 });
    expect(text(read)).toEqual(["漢".repeat(33)]);
    expect(read.lines[0]?.omittedBytes).toBe(201n);
  });

  it("stops before a line that has no room, and not before the first", async () => {
    put("room.txt", `${"a".repeat(90)}\n${"b".repeat(90)}\n`);
    const tight = await agent.readLines("room.txt", { maxBytes: 100 });
    expect(text(tight)).toEqual(["a".repeat(90)]);
    expect(tight).toMatchObject({ atEnd: false, linesSeen: 2 });
    const tighter = await agent.readLines("room.txt", { maxBytes: 10 });
    expect(text(tighter)).toEqual(["a".repeat(10)]);
  });

  it("reads the first line of 6 GB in less than a second", async () => {
    truncateSync(join(agent.root, put("big", "first\n")), 6 * 1024 ** 3);
    const start = performance.now();
    const read = await agent.readLines("big", { maxLines: 1 });
    expect(performance.now() - start).toBeLessThan(1000);
    expect([read.layout, ...text(read)]).toEqual([TextLayout.BYTES, "first"]);
    expect(read.atEnd).toBe(false);
  });

  it("looks no longer than it may for a line of 6 GB that is not there", async () => {
    truncateSync(join(agent.root, put("big2", "first\n")), 6 * 1024 ** 3);
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
      const detail = await refusal(agent.readLines(put("x", "x"), options));
      expect(detail).toMatchObject({ kind: ErrorKind.INVALID, message });
    });
});

describe("ReadBytes", () => {
  it("streams a whole file in pieces of at most 64 KiB, the first with what is known of it", async () => {
    const content = Buffer.from(Array.from({ length: 300_001 }, (_, index) => index % 251));
    const read = await readBytes(put("bytes", content));
    expect(joined(read)).toEqual(content);
    expect(read[0]?.info?.sizeBytes).toBe(300_001n);
    expect(read.slice(1).every(({ info }) => info === undefined)).toBe(true);
    expect(Math.max(...read.map(({ data }) => data.length))).toBe(65536);
  });

  it("streams a part", async () => {
    const read = await readBytes(put("part", "0123456789"), { offsetBytes: 3n, limitBytes: 4n });
    expect(joined(read).toString()).toBe("3456");
  });

  it("tells of an empty file", async () => {
    expect(await readBytes(put("empty", ""))).toMatchObject([{ info: { sizeBytes: 0n } }]);
  });

  it("refuses a file with more bytes than are wanted", async () => {
    const detail = await refusal(readBytes(put("much", "x".repeat(101)), { maxFileBytes: 100n }));
    expect(detail).toMatchObject({
      kind: ErrorKind.TOO_LARGE,
      message: expect.stringContaining("101 bytes") as string,
    });
  });

  it("bounds a file of /proc, which has no size", async () => {
    const detail = await refusal(readBytes("/proc/self/maps", { maxFileBytes: 100n }, open));
    expect(detail.kind).toBe(ErrorKind.TOO_LARGE);
    expect(joined(await readBytes("/proc/self/comm", {}, open)).toString()).toBe("handrail-agent\n");
  });

  it("stops reading when the caller resets the stream", async () => {
    truncateSync(join(agent.root, put("endless", "")), 1024 ** 4);
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
        const read = joined(await readBytes(put(`many-${index}`, content)));
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

describe("a path", () => {
  it("may be relative, absolute, or below an alias of the workspace", async () => {
    mkdirSync(join(agent.root, "d"), { recursive: true });
    put("d/f", "here");
    for (const path of ["d/f", "./d//f", "d/../d/f", join(agent.root, "d/f"), "/workspace/d/f"])
      expect(text(await agent.readLines(path))).toEqual(["here"]);
  });

  it("works through both names of a root that is a symbolic link", async () => {
    const real = join(agent.root, "..", "real");
    mkdirSync(real);
    writeFileSync(join(real, "a.txt"), "both");
    const linked = join(agent.root, "..", "linked");
    symlinkSync(real, linked);
    const other = TestAgent.boot({ parts, config: { workspaceRoot: linked, readRoots: [linked] } });
    const read = [];
    for (const path of ["a.txt", join(linked, "a.txt"), join(real, "a.txt")])
      read.push(...text(await other.readLines(path)));
    await other.stop();
    expect(read).toEqual(["both", "both", "both"]);
  });

  it("follows symbolic links inside, relative and absolute", async () => {
    mkdirSync(join(agent.root, "links/deep"), { recursive: true });
    put("links/target", "found");
    symlinkSync("../target", join(agent.root, "links/deep/up"));
    symlinkSync(join(agent.root, "links"), join(agent.root, "links/deep/abs"));
    expect(text(await agent.readLines("links/deep/up"))).toEqual(["found"]);
    const read = await agent.readLines("links/deep/abs/deep/abs/target");
    expect([read.info?.path, ...text(read)]).toEqual([join(agent.root, "links/target"), "found"]);
  });

  const outside: [name: string, make: (root: string) => string][] = [
    ["`..`", () => "../../../etc/passwd"],
    ["an absolute path", () => "/etc/passwd"],
    ["`..` behind an alias", () => "/workspace/../../../etc/passwd"],
    ["a link to a file outside", (root) => link(root, "/etc/passwd", "out-file")],
    ["a link to a directory outside", (root) => `${link(root, "/etc", "out-dir")}/passwd`],
    ["a link with `..`", (root) => link(root, "../../../etc/passwd", "out-up")],
    ["a link to a link", (root) => link(root, link(root, "/etc/passwd", "hop2"), "hop1")],
    ["a dangling link outside", (root) => link(root, "/etc/no-such-file", "out-dangling")],
    ["a parent of the workspace", (root) => join(root, "../..")],
    ["the root of the agent by /proc", () => "/proc/self/root/etc/passwd"],
    ["a name that begins like the root", (root) => `${root}-not/x`],
  ];
  for (const [name, make] of outside)
    it(`does not leave the roots by ${name}`, async () => {
      const detail = await refusal(agent.readLines(make(agent.root)));
      expect(detail).toMatchObject({ kind: ErrorKind.OUTSIDE, near: [] });
    });

  function link(root: string, target: string, name: string): string {
    symlinkSync(target, join(root, name));
    return name;
  }

  it("may lead anywhere where the sandbox is the wall", async () => {
    expect((await open.readLines("/etc/passwd")).lines.length).toBeGreaterThan(0);
    symlinkSync("/etc/passwd", join(open.root, "pw"));
    expect((await open.readLines("pw")).info?.path).toBe("/etc/passwd");
  });

  it("to a hard link is a regular file", async () => {
    linkSync(join(agent.root, put("hard1", "h")), join(agent.root, "hard2"));
    expect(text(await agent.readLines("hard2"))).toEqual(["h"]);
  });

  const malformed: [name: string, path: string, kind: ErrorKind, message: RegExp][] = [
    ["empty", "", ErrorKind.INVALID, /empty/],
    ["with NUL", "a\0b", ErrorKind.INVALID, /NUL/],
    ["with a long name", "n".repeat(256), ErrorKind.INVALID, /256 bytes, above the limit of 255/],
    ["too long", "d/".repeat(2100), ErrorKind.INVALID, /4200 bytes, above the limit of 4095/],
    ["of a directory", ".", ErrorKind.IS_DIRECTORY, /is a directory/],
    ["of a file with a slash", "file/", ErrorKind.NOT_DIRECTORY, /file is a file, not a directory/],
    ["below a file", "file/x", ErrorKind.NOT_DIRECTORY, /file is a file, not a directory/],
    ["through a file", "file/../file", ErrorKind.NOT_DIRECTORY, /file is a file, not a directory/],
    ["of a link to itself", "self", ErrorKind.LOOP, /40 symbolic links/],
  ];
  for (const [name, path, kind, message] of malformed)
    it(`is refused if ${name}`, async () => {
      put("file", "x");
      execFileSync("ln", ["-sfn", "self", join(agent.root, "self")]);
      const detail = await refusal(agent.readLines(path));
      expect(detail).toMatchObject({ kind, message: expect.stringMatching(message) as string });
    });

  it("to what is no regular file is refused at once", async () => {
    execFileSync("mkfifo", [join(open.root, "p")]);
    symlinkSync("/dev/zero", join(open.root, "z"));
    const server = createServer().listen(join(open.root, "sock"));
    const types = new Map<string, string>();
    const start = performance.now();
    for (const path of ["p", "z", "sock", "/dev/zero", "/dev/tty", "/proc/kmsg"]) {
      const detail = await refusal(open.readLines(path));
      expect(detail.kind).toBe(ErrorKind.NOT_REGULAR);
      types.set(path, detail.fileType);
    }
    expect(performance.now() - start).toBeLessThan(100);
    server.close();
    expect(Object.fromEntries(types)).toEqual({
      p: "fifo",
      z: "character device",
      sock: "socket",
      "/dev/zero": "character device",
      "/dev/tty": "character device",
      "/proc/kmsg": "kernel stream",
    });
  });

  it("that may not be read says so", async () => {
    const other = TestAgent.boot({ parts, uid: 61_009 });
    chmodSync(join(other.root, put("secret", "s", other)), 0o600);
    mkdirSync(join(other.root, "locked"), { mode: 0o700 });
    const kinds = [];
    for (const path of ["secret", "locked/x"]) kinds.push((await refusal(other.readLines(path))).kind);
    await other.stop();
    expect(kinds).toEqual([ErrorKind.PERMISSION, ErrorKind.PERMISSION]);
  });

  it("that leaves no descriptor open, whatever came of it", async () => {
    const count = (): number =>
      execFileSync("ls", [`/proc/${agent.process.pid ?? 0}/fd`])
        .toString()
        .split("\n").length;
    put("fine", "x");
    const before = count();
    for (const path of ["fine", "none", "fine/", ".", "/etc/passwd", "self", "a/b/c/../.."])
      await agent.readLines(path).catch(() => undefined);
    expect(count()).toBe(before);
  });
});

describe("a path that does not exist", () => {
  async function near(path: string, where = agent): Promise<string[]> {
    const detail = await refusal(where.readLines(path));
    expect(detail.kind).toBe(ErrorKind.NOT_FOUND);
    return detail.near;
  }

  beforeAll(() => {
    mkdirSync(join(agent.root, "app/src/lib"), { recursive: true });
    for (const name of ["index.ts", "server-main.ts", "README.md"]) put(`app/src/${name}`, "");
    put("app/src/lib/parser.ts", "");
  });

  const cases: [path: string, near: string][] = [
    ["app/src/idnex.ts", "app/src/index.ts"],
    ["app/src/index.tsx", "app/src/index.ts"],
    ["app/src/readme.md", "app/src/README.md"],
    ["app/src/server_main.ts", "app/src/server-main.ts"],
    ["parser.ts", "app/src/lib/parser.ts"],
    ["app/srcs/index.ts", "app/src/index.ts"],
    ["/workspace/app/src/indx.ts", "app/src/index.ts"],
  ];
  for (const [path, expected] of cases)
    it(`has ${expected} near to ${path}`, async () => {
      expect((await near(path))[0]).toBe(expected);
    });

  it("has at most 5 near names", async () => {
    for (let index = 0; index < 20; index += 1) put(`chapter-${index}.md`, "");
    expect(await near("chapter-x.md")).toHaveLength(5);
  });

  it("says which directory is missing", async () => {
    const detail = await refusal(agent.readLines("app/srcs/index.ts"));
    expect(detail.message).toBe("app/srcs/index.ts does not exist: there is no directory srcs in app");
  });

  it("says that a link dangles", async () => {
    symlinkSync("gone/away", join(agent.root, "dangling"));
    const detail = await refusal(agent.readLines("dangling"));
    expect(detail.kind).toBe(ErrorKind.NOT_FOUND);
    expect(detail.message).toBe(
      "dangling does not exist: dangling is a symbolic link to gone/away, which does not exist",
    );
  });

  it("is answered fast in a directory of 20,000 names", async () => {
    const many = join(agent.root, "many");
    mkdirSync(many);
    execFileSync("bash", ["-c", "seq -f 'some-file-name-%g.txt' 20000 | xargs touch"], { cwd: many });
    const start = performance.now();
    await near("many/other-file-name.txt");
    expect(performance.now() - start).toBeLessThan(500);
  });
});
