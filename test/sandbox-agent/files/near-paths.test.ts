import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ErrorKind } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { buildParts, TestAgent } from "../test-agent.js";
import { put, refusal } from "./file-fixture.js";

let agent: TestAgent;

beforeAll(async () => {
  const parts = await buildParts();
  agent = TestAgent.boot({ parts });
});
afterAll(() => agent.stop());

describe("a path that does not exist", () => {
  async function near(path: string, where = agent): Promise<string[]> {
    const detail = await refusal(where.readLines(path));
    expect(detail.kind).toBe(ErrorKind.NOT_FOUND);
    return detail.near;
  }

  beforeAll(() => {
    mkdirSync(join(agent.root, "app/src/lib"), { recursive: true });
    for (const name of ["index.ts", "server-main.ts", "README.md"]) put(agent, `app/src/${name}`, "");
    put(agent, "app/src/lib/parser.ts", "");
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
    for (let index = 0; index < 20; index += 1) put(agent, `chapter-${index}.md`, "");
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
