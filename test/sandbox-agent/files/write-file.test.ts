import {
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AgentService, ErrorKind } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { buildParts, TestAgent } from "../test-agent.js";
import type { BuiltAgent } from "../test-agent.js";
import { joined, put, readBytes, refusal } from "./file-fixture.js";
import { write } from "./write-fixture.js";

let parts: BuiltAgent;
let agent: TestAgent;

beforeAll(async () => {
  parts = await buildParts();
  agent = TestAgent.boot({ parts });
});
afterAll(() => agent.stop());

const at = (name: string): string => join(agent.root, name);
const content = (name: string): string => readFileSync(at(name), "utf8");
const temporaries = (directory: string): string[] =>
  readdirSync(directory).filter((name) => name.startsWith(".handrail-"));

describe("a write", () => {
  it("makes a file with its parents and says so", async () => {
    const response = await write(agent, "a/b/c.txt", "new");
    expect(response).toMatchObject({ created: true, previousBytes: 0n, workspacePath: "a/b/c.txt" });
    expect(response.info).toMatchObject({ path: at("a/b/c.txt"), sizeBytes: 3n });
    expect(content("a/b/c.txt")).toBe("new");
    expect(temporaries(at("a/b"))).toEqual([]);
  });

  it("replaces a file and says how long it was", async () => {
    put(agent, "old.txt", "old content");
    expect(await write(agent, "old.txt", "x")).toMatchObject({ created: false, previousBytes: 11n });
    expect(content("old.txt")).toBe("x");
  });

  it("brings 9 MiB byte for byte", async () => {
    const bytes = Buffer.alloc(9 * 1024 * 1024, "0123456789abcdefg");
    await write(agent, "large", bytes);
    expect(readFileSync(at("large")).equals(bytes)).toBe(true);
  });

  it("keeps the permission bits of the file that it replaces", async () => {
    for (const mode of [0o755, 0o600, 0o4711]) {
      chmodSync(at(put(agent, "mode", "x")), mode);
      expect((await write(agent, "mode", "y")).info?.mode).toBe(mode);
      expect(statSync(at("mode")).mode & 0o7777).toBe(mode);
    }
  });

  it("leaves a symbolic link and writes its target", async () => {
    put(agent, "target", "old");
    symlinkSync("target", at("link"));
    expect((await write(agent, "link", "new")).info?.path).toBe(at("target"));
    expect([readlinkSync(at("link")), content("target")]).toEqual(["target", "new"]);
  });

  it("makes the target of a dangling link", async () => {
    symlinkSync("not-yet", at("dangling"));
    expect(await write(agent, "dangling", "new")).toMatchObject({ created: true, workspacePath: "not-yet" });
    expect([readlinkSync(at("dangling")), content("not-yet")]).toEqual(["not-yet", "new"]);
  });

  it("leaves the other names of a hard link with the old content", async () => {
    put(agent, "one", "old");
    linkSync(at("one"), at("two"));
    await write(agent, "one", "new");
    expect([content("one"), content("two")]).toEqual(["new", "old"]);
  });

  it("reaches the home directory", async () => {
    const path = join(agent.config.homeDir, ".config/x");
    expect(await write(agent, path, "x")).toMatchObject({ created: true, workspacePath: "" });
    expect(readFileSync(path, "utf8")).toBe("x");
  });

  it("names each state of a file by another version", async () => {
    const versions = [];
    for (const text of ["a", "b", "b", "c"]) versions.push((await write(agent, "v", text)).info?.version);
    expect(new Set(versions).size).toBe(4);
    const [read] = await readBytes(agent, "v");
    const { info } = await agent.call(AgentService.method.stat, { path: "v" });
    expect([read?.info?.version, info?.version]).toEqual([versions[3], versions[3]]);
  });

  it("on a version goes through if the file has it, else is a conflict that changes nothing", async () => {
    const version = (await write(agent, "at", "one")).info?.version ?? "";
    const { info } = await write(agent, "at", "two", { ifVersion: version });
    const detail = await refusal(write(agent, "at", "three", { ifVersion: version }));
    expect(detail).toMatchObject({ kind: ErrorKind.CONFLICT, message: "at has changed" });
    expect(content("at")).toBe("two");
    expect(info?.version).not.toBe(version);
    const gone = await refusal(write(agent, "at-none", "x", { ifVersion: version }));
    expect(gone.kind).toBe(ErrorKind.CONFLICT);
    expect(temporaries(agent.root)).toEqual([]);
  });

  it("lets one of many writes on the same version through", async () => {
    const version = (await write(agent, "race", "start")).info?.version ?? "";
    const kinds = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        write(agent, "race", `by ${index}`, { ifVersion: version }).then(
          () => "written",
          () => "refused",
        ),
      ),
    );
    expect(kinds.filter((kind) => kind === "written")).toHaveLength(1);
    expect(temporaries(agent.root)).toEqual([]);
  });

  it("that must create is a conflict on a file that exists", async () => {
    expect(await write(agent, "fresh", "1", { mustCreate: true })).toMatchObject({ created: true });
    expect((await refusal(write(agent, "fresh", "2", { mustCreate: true }))).kind).toBe(ErrorKind.CONFLICT);
    expect(content("fresh")).toBe("1");
  });

  it("that is broken off leaves no trace", async () => {
    mkdirSync(at("cut"));
    put(agent, "cut/f", "whole");
    const abort = new AbortController();
    const stream = agent.client.stream(AgentService.method.writeFile, {
      signal: abort.signal,
      onResponse: () => undefined,
    });
    await stream.send({ message: { case: "start", value: { path: "cut/f" } } });
    await stream.send({ message: { case: "data", value: Buffer.from("half") } });
    while (temporaries(at("cut")).length === 0) await sleep(5);
    abort.abort(new Error("given up"));
    await expect(stream.done).rejects.toThrow("given up");
    while (temporaries(at("cut")).length > 0) await sleep(5);
    expect(content("cut/f")).toBe("whole");
  });
});

describe("a write on a small disk", () => {
  const onDisk = (...options: string[]) =>
    TestAgent.boot({
      parts,
      wrapper: ["bwrap", "--dev-bind", "/", "/", ...options],
      config: { workspaceRoot: "/mnt", readRoots: ["/mnt"] },
    });
  const names = async (where: TestAgent) => {
    const request = { path: ".", depth: 3, maxEntries: 100, hidden: true, ignored: true };
    return (await where.call(AgentService.method.listTree, request)).entries.map(({ path }) => path);
  };

  it("that is full leaves the old content and nothing of the new", async () => {
    const full = onDisk("--size", "1048576", "--tmpfs", "/mnt");
    await write(full, "kept", "old");
    const large = Buffer.alloc(2 * 1024 * 1024, "x");
    const details = [await refusal(write(full, "kept", large)), await refusal(write(full, "d/e/new", large))];
    const after = [await names(full), joined(await readBytes(full, "kept")).toString()];
    await full.stop();
    expect(details.map(({ kind }) => kind)).toEqual([ErrorKind.NO_SPACE, ErrorKind.NO_SPACE]);
    expect(details[0]?.message).toBe("kept cannot be written: no space is left on the disk");
    expect(after).toEqual([["kept"], "old"]);
  });

  it("that is read-only says so", async () => {
    const fixed = onDisk("--ro-bind", agent.root, "/mnt");
    put(agent, "fixed", "x");
    const details = [await refusal(write(fixed, "fixed", "y")), await refusal(write(fixed, "z", "y"))];
    await fixed.stop();
    expect(details.map(({ kind }) => kind)).toEqual([ErrorKind.NO_SPACE, ErrorKind.NO_SPACE]);
    expect(details[0]?.message).toContain("read-only");
  });
});
