import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { measureTree } from "../../../src/sandbox-agent/disk/measure-tree.js";

function makeTree(): string {
  const root = mkdtempSync(join(tmpdir(), "handrail-measure-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, "a/b"), { recursive: true });
  writeFileSync(join(root, "a/b/file"), Buffer.alloc(300_000, 1));
  linkSync(join(root, "a/b/file"), join(root, "again"));
  writeFileSync(join(root, "small"), "x");
  symlinkSync("/usr", join(root, "link"));
  return root;
}

describe("the size of a tree", () => {
  it("is what du says, hard links counted once and symbolic links not followed", async () => {
    const root = makeTree();
    const [kib] = execFileSync("du", ["-s", "--block-size=1", root]).toString().split("\t");
    const [own] = execFileSync("stat", ["-c", "%b", root]).toString().split("\n");
    const { bytes, isPartial } = await measureTree([root], { limitMs: 10_000 });
    expect([bytes, isPartial]).toEqual([Number(kib) - Number(own) * 512, false]);
  });

  it("is a lower bound if there is no time", async () => {
    expect(await measureTree([makeTree()], { limitMs: -1 })).toEqual({ bytes: 0, isPartial: true });
  });

  it("of what is not there is nothing", async () => {
    expect(await measureTree(["/nowhere/at/all"], { limitMs: 1000 })).toEqual({ bytes: 0, isPartial: false });
  });
});
