import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { AgentService, ErrorKind, FileKind } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import type { ListTreeResponse } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { buildParts, TestAgent } from "../test-agent.js";
import { put, refusal } from "./file-fixture.js";

const parts = await buildParts();
const agents: TestAgent[] = [];
let agent: TestAgent;

beforeEach(() => {
  agent = TestAgent.boot({ parts });
  agents.push(agent);
});
afterAll(() => Promise.all(agents.map((each) => each.stop())));

function files(contents: Record<string, string>): void {
  for (const [path, content] of Object.entries(contents)) {
    mkdirSync(join(agent.root, dirname(path)), { recursive: true });
    put(agent, path, content);
  }
}

interface Request {
  readonly path?: string;
  readonly depth?: number;
  readonly maxEntries?: number;
  readonly hidden?: boolean;
  readonly ignored?: boolean;
}

const list = (request: Request = {}): Promise<ListTreeResponse> => {
  const usual = { path: ".", depth: 10, maxEntries: 1000, hidden: false, ignored: false };
  return agent.call(AgentService.method.listTree, { ...usual, ...request });
};
const paths = ({ entries }: ListTreeResponse): string[] =>
  entries.map(({ path, cut }) => (cut ? `${path}…` : path));

describe("a listing", () => {
  it("has each directory before what is in it, names in order", async () => {
    files({ "b/2": "", "b/1/x": "", "a.txt": "", c: "" });
    expect(paths(await list())).toEqual(["a.txt", "b", "b/1", "b/1/x", "b/2", "c"]);
  });

  it("tells kinds, sizes and targets, and follows no link", async () => {
    files({ "d/f": "12345" });
    symlinkSync("d", join(agent.root, "l"));
    execFileSync("mkfifo", [join(agent.root, "p")]);
    const { entries } = await list();
    expect(entries.map(({ path, kind, sizeBytes, target }) => [path, kind, sizeBytes, target])).toEqual([
      ["d", FileKind.DIRECTORY, 0n, ""],
      ["d/f", FileKind.FILE, 5n, ""],
      ["l", FileKind.LINK, 0n, "d"],
      ["p", FileKind.OTHER, 0n, ""],
    ]);
  });

  it("marks what the depth cuts", async () => {
    files({ "a/b/c": "", "e/f": "" });
    mkdirSync(join(agent.root, "empty"));
    expect(paths(await list({ depth: 1 }))).toEqual(["a…", "e…", "empty"]);
    expect(paths(await list({ depth: 2 }))).toEqual(["a", "a/b…", "e", "e/f", "empty"]);
  });

  it("cuts the deepest entries first and counts them", async () => {
    files({ "a/1": "", "a/2": "", "a/3": "", b: "", c: "" });
    const listing = await list({ maxEntries: 4 });
    expect([paths(listing), listing.omitted]).toEqual([["a…", "a/1", "b", "c"], 2]);
  });

  it("names dotfiles only if asked, and does not enter a repository", async () => {
    files({ ".env": "", ".github/a.yml": "", ".git/config": "", f: "" });
    expect(paths(await list())).toEqual(["f"]);
    const all = [".env", ".git…", ".github", ".github/a.yml", "f"];
    expect(paths(await list({ hidden: true }))).toEqual(all);
    expect(paths(await list({ hidden: true, ignored: true }))).toContain(".git/config");
  });

  it("obeys ignore files, nested and negated, and counts what they leave out", async () => {
    files({
      ".gitignore": "*.log\n/dist/\nnode_modules\n",
      ".ignore": "!keep.log\n",
      "a.log": "",
      "keep.log": "",
      "dist/x": "",
      "src/dist/y": "",
      "src/.gitignore": "!b.log\n*.tmp\n",
      "src/b.log": "",
      "src/c.log": "",
      "src/d.tmp": "",
      "src/node_modules/m": "",
    });
    const listing = await list();
    expect(paths(listing)).toEqual(["keep.log", "src…", "src/b.log", "src/dist", "src/dist/y"]);
    expect(listing.ignored).toBe(5);
    expect((await list({ ignored: true })).ignored).toBe(0);
    expect(paths(await list({ ignored: true }))).toContain("src/node_modules/m");
  });

  it("of a directory below obeys the rules above it", async () => {
    files({ ".gitignore": "*.log\n/a/b/x\n", "a/b/x": "", "a/b/y": "", "a/b/z.log": "" });
    const listing = await list({ path: "a/b" });
    expect([paths(listing), listing.workspacePath]).toEqual([["y"], "a/b"]);
  });

  it("names the workspace as `.` and a directory outside of it not at all", async () => {
    expect((await list()).workspacePath).toBe(".");
    const open = TestAgent.boot({ parts, config: { readRoots: ["/"] } });
    agents.push(open);
    const request = { path: "/usr", depth: 1, maxEntries: 5, hidden: false, ignored: false };
    expect((await open.call(AgentService.method.listTree, request)).workspacePath).toBe("");
  });

  it("survives odd names", async () => {
    files({ "a\nb": "", "-v": "", "[x]*": "", "trailing ": "" });
    expect(paths(await list())).toEqual(["-v", "[x]*", "a\nb", "trailing "]);
  });

  const refused: [name: string, request: Request, kind: ErrorKind][] = [
    ["a file", { path: "f" }, ErrorKind.NOT_DIRECTORY],
    ["nothing", { path: "none" }, ErrorKind.NOT_FOUND],
    ["a directory outside", { path: "/etc" }, ErrorKind.OUTSIDE],
    ["depth 0", { depth: 0 }, ErrorKind.INVALID],
    ["no entries", { maxEntries: 0 }, ErrorKind.INVALID],
  ];
  for (const [name, request, kind] of refused)
    it(`of ${name} is refused`, async () => {
      files({ f: "" });
      expect((await refusal(list(request))).kind).toBe(kind);
    });
});

describe("a stat", () => {
  const stat = (path: string) => agent.call(AgentService.method.stat, { path });

  it("tells what a path is after links were followed", async () => {
    files({ "d/f": "123" });
    symlinkSync("d/f", join(agent.root, "l"));
    execFileSync("mkfifo", [join(agent.root, "p")]);
    expect(await stat("l")).toMatchObject({
      kind: FileKind.FILE,
      workspacePath: "d/f",
      info: { path: join(agent.root, "d/f"), sizeBytes: 3n },
    });
    expect(await stat("d")).toMatchObject({ kind: FileKind.DIRECTORY, workspacePath: "d" });
    expect((await stat("p")).kind).toBe(FileKind.OTHER);
  });

  it("of what is missing or outside is refused", async () => {
    files({ name: "" });
    expect(await refusal(stat("nam"))).toMatchObject({ kind: ErrorKind.NOT_FOUND, near: ["name"] });
    expect((await refusal(stat("/etc"))).kind).toBe(ErrorKind.OUTSIDE);
  });
});
