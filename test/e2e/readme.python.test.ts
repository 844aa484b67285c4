import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SANDBOX_KINDS, startTestService } from "../support/service.js";
import type { TestService } from "../support/service.js";

const execute = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));
const [kind] = SANDBOX_KINDS;

/** The fenced blocks of the README's first call, with their languages. */
async function firstCallBlocks(): Promise<{ language: string; code: string }[]> {
  const readme = await readFile(`${root}README.md`, "utf8");
  const section = /## A first call\n(.*?)\n## /s.exec(readme)?.[1] ?? "";
  return [...section.matchAll(/```(\w+)\n(.*?)```/gs)].map(([, language = "", code = ""]) => ({
    language,
    code,
  }));
}

describe.runIf(kind !== undefined)("the README's first call", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService(kind ?? "bubblewrap");
  });
  afterAll(() => service.close());

  const expected = [
    ["the command line", /hello from [\s\S]*PRETTY_NAME/],
    ["curl", /hello\\n/],
    ["buf curl", /OUTCOME_OK/],
    ["Python", /OUTCOME_OK 42/],
  ] as const;
  for (const [index, [name, output]] of expected.entries()) {
    it(`works by ${name}, as it is written there`, async () => {
      const block = (await firstCallBlocks())[index];
      const code = (block?.code ?? "").replaceAll("http://127.0.0.1:7430", service.url);
      const program = block?.language === "python" ? ["python3", "-c", code] : ["bash", "-ec", code];
      const [file = "", ...args] = program;
      const { stdout, stderr } = await execute(file, args, {
        cwd: root,
        env: {
          ...process.env,
          PATH: `${root}node_modules/.bin:${process.env["PATH"] ?? ""}`,
          HANDRAIL_URL: service.url,
        },
      }).catch((error: unknown) => error as { stdout: string; stderr: string });
      expect(stdout, stderr).toMatch(output);
    });
  }

  it("has one block for each of these ways", async () => {
    expect(await firstCallBlocks()).toHaveLength(expected.length);
  });
});
