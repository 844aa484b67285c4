import { execFileSync } from "node:child_process";
import { chmodSync, linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ErrorKind } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { buildParts, TestAgent } from "../test-agent.js";
import type { BuiltAgent } from "../test-agent.js";
import { put, refusal, text } from "./file-fixture.js";

let parts: BuiltAgent;
let agent: TestAgent;
let open: TestAgent;

beforeAll(async () => {
  parts = await buildParts();
  agent = TestAgent.boot({ parts });
  open = TestAgent.boot({ parts, config: { readRoots: ["/"] } });
});
afterAll(() => Promise.all([agent.stop(), open.stop()]));

describe("a path", () => {
  it("may be relative, absolute, or below an alias of the workspace", async () => {
    mkdirSync(join(agent.root, "d"), { recursive: true });
    put(agent, "d/f", "here");
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
    put(agent, "links/target", "found");
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
    linkSync(join(agent.root, put(agent, "hard1", "h")), join(agent.root, "hard2"));
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
      put(agent, "file", "x");
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
    chmodSync(join(other.root, put(other, "secret", "s")), 0o600);
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
    put(agent, "fine", "x");
    const before = count();
    for (const path of ["fine", "none", "fine/", ".", "/etc/passwd", "self", "a/b/c/../.."])
      await agent.readLines(path).catch(() => undefined);
    expect(count()).toBe(before);
  });
});
