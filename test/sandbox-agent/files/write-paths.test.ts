import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ErrorKind } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { buildParts, TestAgent } from "../test-agent.js";
import type { BuiltAgent } from "../test-agent.js";
import { put, refusal } from "./file-fixture.js";
import { write } from "./write-fixture.js";

let parts: BuiltAgent;
let agent: TestAgent;
let open: TestAgent;
let outside: string;

beforeAll(async () => {
  parts = await buildParts();
  agent = TestAgent.boot({ parts });
  open = TestAgent.boot({ parts, config: { readRoots: ["/"] } });
  outside = join(agent.root, "..", "outside");
  mkdirSync(outside);
  writeFileSync(join(outside, "f"), "untouched");
});
afterAll(() => Promise.all([agent.stop(), open.stop()]));

function link(target: string, name: string): string {
  symlinkSync(target, join(agent.root, name));
  return name;
}

describe("a path to write", () => {
  it("may be relative, absolute, or below an alias of the workspace", async () => {
    const paths = ["p", "./p", "none/../p".replace("none/../", ""), join(agent.root, "p"), "/workspace/p"];
    for (const path of paths) {
      expect((await write(agent, path, path)).workspacePath).toBe("p");
      expect(readFileSync(join(agent.root, "p"), "utf8")).toBe(path);
    }
  });

  it("works through both names of a root that is a symbolic link (B151)", async () => {
    const real = join(agent.root, "..", "real");
    const linked = join(agent.root, "..", "linked");
    mkdirSync(real);
    symlinkSync(real, linked);
    const other = TestAgent.boot({ parts, config: { workspaceRoot: linked, readRoots: [linked] } });
    const written = [];
    for (const path of ["a.txt", join(linked, "a.txt"), join(real, "a.txt")])
      written.push((await write(other, path, "x")).workspacePath);
    await other.stop();
    expect(written).toEqual(["a.txt", "a.txt", "a.txt"]);
  });

  const leading: [name: string, make: () => string][] = [
    ["`..`", () => "../outside/f"],
    ["`..` to a new file", () => "../new"],
    ["an absolute path", () => join(outside, "f")],
    ["a link to a file", () => link(join(outside, "f"), "to-file")],
    ["a dangling link", () => link(join(outside, "g"), "to-none")],
    ["a link to a directory", () => `${link(outside, "to-dir")}/f`],
    ["a new directory behind a link", () => `${link(outside, "to-dir-2")}/x/y`],
    ["a link with `..`", () => link("../outside/f", "up")],
    ["/proc", () => "/proc/self/cwd/f"],
  ];
  for (const [name, make] of leading)
    it(`does not leave the roots by ${name}`, async () => {
      const detail = await refusal(write(agent, make(), "stray"));
      expect(detail).toMatchObject({
        kind: ErrorKind.OUTSIDE,
        message: expect.stringMatching(/may be written/) as string,
      });
      expect([readdirSync(outside), readFileSync(join(outside, "f"), "utf8")]).toEqual([["f"], "untouched"]);
    });

  it("stays in the roots also where everything may be read", async () => {
    const details = [];
    for (const path of ["/etc/handrail-stray", "/proc/sys/kernel/hostname", "/dev/null"])
      details.push((await refusal(write(open, path, "x"))).kind);
    expect(details).toEqual([ErrorKind.OUTSIDE, ErrorKind.OUTSIDE, ErrorKind.OUTSIDE]);
    expect(existsSync("/etc/handrail-stray")).toBe(false);
  });

  const malformed: [name: string, path: string, kind: ErrorKind, message: RegExp][] = [
    ["empty", "", ErrorKind.INVALID, /empty/],
    ["with NUL", "a\0b", ErrorKind.INVALID, /NUL/],
    ["the workspace", "/workspace", ErrorKind.IS_DIRECTORY, /is a directory/],
    ["a directory", "dir", ErrorKind.IS_DIRECTORY, /is a directory/],
    ["a directory with a slash", "dir/", ErrorKind.IS_DIRECTORY, /is a directory/],
    ["a directory by `..`", "dir/..", ErrorKind.IS_DIRECTORY, /is a directory/],
    ["a file with a slash", "file/", ErrorKind.NOT_DIRECTORY, /file is a file, not a directory/],
    ["below a file", "file/x", ErrorKind.NOT_DIRECTORY, /file is a file, not a directory/],
    ["a new name with a slash", "none/", ErrorKind.INVALID, /ends in a slash/],
    ["a way through what is not there", "none/../file", ErrorKind.NOT_FOUND, /no directory none/],
    ["a link to itself", "self", ErrorKind.LOOP, /40 symbolic links/],
  ];
  for (const [name, path, kind, message] of malformed)
    it(`is refused if it is ${name}`, async () => {
      put(agent, "file", "x");
      mkdirSync(join(agent.root, "dir"), { recursive: true });
      execFileSync("ln", ["-sfn", "self", join(agent.root, "self")]);
      const detail = await refusal(write(agent, path, "y"));
      expect(detail).toMatchObject({ kind, message: expect.stringMatching(message) as string });
      expect(readFileSync(join(agent.root, "file"), "utf8")).toBe("x");
      expect(existsSync(join(agent.root, "none"))).toBe(false);
    });

  it("to what is no regular file is refused at once", async () => {
    execFileSync("mkfifo", [join(agent.root, "fifo")]);
    const server = createServer().listen(join(agent.root, "sock"));
    const types = [];
    for (const path of ["fifo", "sock"]) {
      const detail = await refusal(write(agent, path, "x"));
      expect(detail.kind).toBe(ErrorKind.NOT_REGULAR);
      types.push(detail.fileType);
    }
    server.close();
    expect(types).toEqual(["fifo", "socket"]);
  });

  it("that may not be written says so, also where its directory would let it be replaced", async () => {
    const other = TestAgent.boot({ parts, uid: 61_009 });
    chmodSync(join(other.root, put(other, "fixed", "s")), 0o444);
    mkdirSync(join(other.root, "locked"), { mode: 0o755 });
    const details = [];
    for (const path of ["fixed", "locked/x"]) details.push(await refusal(write(other, path, "x")));
    const content = readFileSync(join(other.root, "fixed"), "utf8");
    await other.stop();
    expect(details.map(({ kind }) => kind)).toEqual([ErrorKind.PERMISSION, ErrorKind.PERMISSION]);
    expect([details[0]?.message, content]).toEqual(["fixed cannot be written: permission denied", "s"]);
  });

  it("leaves no descriptor open, whatever came of it", async () => {
    const count = (): number => readdirSync(`/proc/${agent.process.pid ?? 0}/fd`).length;
    put(agent, "file", "x");
    await write(agent, "file", "warm");
    const before = count();
    for (const path of ["fine", "m/n/o", "none/", ".", "/etc/passwd", "file/x", "none/../x"])
      await write(agent, path, "x").catch(() => undefined);
    expect(count()).toBe(before);
  });
});
