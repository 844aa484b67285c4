import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

async function sourcesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && /\.(ts|c|h)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

describe("the source", () => {
  it("has no file above 300 lines", async () => {
    const long: string[] = [];
    for (const path of await sourcesBelow("src")) {
      const lines = (await readFile(path, "utf8")).split("\n").length - 1;
      if (lines > 300) long.push(`${path}: ${lines}`);
    }
    expect(long).toEqual([]);
  });

  it("defines at most one tool in a file, and names it after the tool", async () => {
    for (const path of await sourcesBelow("src/tools")) {
      const names = [...(await readFile(path, "utf8")).matchAll(/defineTool\(\{\s+name: "([a-z_]+)"/g)].map(
        ([, name = ""]) => name,
      );
      expect(names.length, path).toBeLessThanOrEqual(1);
      for (const name of names) expect(path).toContain(`/${name.replaceAll("_", "-")}.ts`);
    }
  });

  it("has no default export and no barrel", async () => {
    for (const path of (await sourcesBelow("src")).filter((name) => name.endsWith(".ts"))) {
      const text = await readFile(path, "utf8");
      expect(text, path).not.toMatch(/^export (default|\*)/m);
    }
  });
});
