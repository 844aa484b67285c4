import { closeSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ErrorKind } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { AgentFailure } from "../../../src/sandbox/channel/agent-client.js";
import { absolutePath } from "../../../src/sandbox-agent/files/absolute-path.js";
import { walkPath } from "../../../src/sandbox-agent/files/path-walk.js";
import { ReadRoots } from "../../../src/sandbox-agent/files/read-roots.js";

let base: string;
let root: string;

/** A workspace beside a secret, with links of every kind, most of them leading out in the end. */
beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "handrail-paths-")));
  root = join(base, "w");
  for (const directory of ["w/a/b", "w/c", "secret/a"]) mkdirSync(join(base, directory), { recursive: true });
  for (const file of ["w/f", "w/a/f", "w/a/b/f", "secret/f", "secret/a/f"])
    writeFileSync(join(base, file), file);
  const links: Record<string, string> = {
    "w/in": "a/b",
    "w/a/up": "..",
    "w/a/b/top": root,
    "w/out": "../secret",
    "w/c/out": join(base, "secret"),
    "w/c/f": "../../secret/f",
    "w/dangling": "nowhere",
    "w/loop": "loop",
    "w/chain": "c/out/a",
    "w/proc": "/proc/self/root",
    "secret/back": root,
  };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(base, name));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const name = fc.constantFrom(
  ...["a", "b", "c", "f", "in", "up", "top", "out", "dangling", "loop", "chain", "proc", "back"],
  ...["..", ".", "", "w", "secret", "A", "f\u0000", "\ud800"],
);

/** Relative, or absolute from one of several places. */
const path = fc
  .tuple(
    fc.constantFrom("", "", "", "/", "/workspace/", "ROOT/", "BASE/"),
    fc.array(name, { minLength: 1, maxLength: 8 }),
  )
  .map(([start, names]) => start + names.join("/"));

function walk(given: string): string {
  const roots = new ReadRoots({ workspaceRoot: root, readRoots: [] });
  const absolute = absolutePath(given, { workspaceRoot: root, workspaceAliases: ["/workspace"] });
  const place = walkPath(absolute, {
    shownPath: given,
    roots,
    onMissing: () => new AgentFailure({ kind: ErrorKind.NOT_FOUND } as never),
  });
  closeSync(place.fd);
  return place.path;
}

/** Where the system says that the path leads; undefined if nowhere. */
function real(given: string): string | undefined {
  const absolute = given.startsWith("/workspace")
    ? root + given.slice("/workspace".length)
    : given.startsWith("/")
      ? given
      : `${root}/${given}`;
  try {
    return realpathSync.native(absolute);
  } catch {
    return undefined;
  }
}

describe("any path", () => {
  it("leads where the system says, inside of the workspace, or is refused", () => {
    let led = 0;
    fc.assert(
      fc.property(path, (text) => {
        const given = text.replace(/^ROOT/, root).replace(/^BASE/, base);
        let found: string;
        try {
          found = walk(given);
        } catch (error) {
          expect(error).toBeInstanceOf(AgentFailure);
          return;
        }
        led += 1;
        expect(found === root || found.startsWith(`${root}/`)).toBe(true);
        expect(found).toBe(real(given));
      }),
      { numRuns: 5000 },
    );
    expect(led).toBeGreaterThan(50);
  });

  it("without links and without .. is never refused if it exists", () => {
    const plain = fc.array(fc.constantFrom("a", "b", "c", "f", ".", ""), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(plain, (names) => {
        const given = `./${names.join("/")}`;
        const expected = real(given);
        if (expected === undefined || expected.startsWith(join(base, "secret"))) return;
        expect(walk(given)).toBe(expected);
      }),
      { numRuns: 2000 },
    );
  });
});
