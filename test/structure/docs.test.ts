import { readFile, readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { Code } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { EXIT, EXIT_MEANINGS } from "../../src/cli/exit-code.js";
import { REASONS } from "../../src/domain/reasons.js";
import type { Reason } from "../../src/domain/reasons.js";
import { ERROR_DOMAIN, REASON_CODES } from "../../src/rpc/status.js";

const root = new URL("../../", import.meta.url);
const read = (path: string) => readFile(new URL(path, root), "utf8");

/** docs/errors.md, from the table in the code. */
function errorsPage(): string {
  const names = Object.keys(REASONS) as Reason[];
  const rows = names.map((name) => {
    const status = Code[REASON_CODES[name]]
      .replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`)
      .toUpperCase();
    return `| \`${name}\` | \`${status}\` | ${REASONS[name]} |`;
  });
  return [
    "# Reasons",
    "",
    `An RPC that is refused before any work carries \`google.rpc.ErrorInfo\` with domain \`${ERROR_DOMAIN}\` and one of these`,
    "reasons. Once `accepted` has come, a call ends in a `result` instead.",
    "",
    "| reason | status | meaning |",
    "| --- | --- | --- |",
    ...rows,
    "",
  ].join("\n");
}

describe("the documentation", () => {
  it("lists every reason as the code has it", async () => {
    await expect(errorsPage()).toMatchFileSnapshot(fileURLToPath(new URL("docs/errors.md", root)));
  });

  it("names every setting that the code reads, and no other", async () => {
    const files = await readdir(new URL("src/config", root));
    const sources = await Promise.all(files.map((name) => read(`src/config/${name}`)));
    const inCode = new Set(sources.join("\n").match(/\b(HANDRAIL_[A-Z0-9_]*[A-Z0-9]|DOCKER_HOST)(?=:)/g));
    const page = await read("docs/configuration.md");
    const rows = page.split("\n").filter((line) => line.startsWith("| `"));
    const inPage = new Set(rows.flatMap((row) => row.split("|")[1]?.match(/[A-Z][A-Z0-9_]+/g) ?? []));
    expect([...inPage].sort()).toEqual([...inCode].sort());
  });

  it("gives every exit code of the command line its meaning", async () => {
    const page = await read("docs/cli.md");
    for (const [name, code] of Object.entries(EXIT)) {
      const meaning = EXIT_MEANINGS[name as keyof typeof EXIT].replaceAll("doctor", "`doctor`");
      expect(page).toMatch(new RegExp(`^\\| ${code} +\\| ${meaning} +\\|$`, "m"));
    }
  });

  it("links only to files that exist", async () => {
    const pages = [
      "README.md",
      "CONTRIBUTING.md",
      ...(await readdir(new URL("docs", root))).map((name) => `docs/${name}`),
    ];
    for (const page of pages) {
      for (const [, target = ""] of (await read(page)).matchAll(/\]\((?!https?:)([^)#]+)\)/g)) {
        await expect(
          readdirOrFile(new URL(target, new URL(page, root))),
          `${page} → ${target}`,
        ).resolves.toBe(true);
      }
    }
  });
});

async function readdirOrFile(url: URL): Promise<boolean> {
  await readFile(url).catch(() => readdir(url));
  return true;
}
