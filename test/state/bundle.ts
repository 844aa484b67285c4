import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Bundles programs for the tests of a file, where they find the packages of the project; `path` names a bundle. */
export function bundlesOf<Name extends string>(entryPoints: Record<Name, string>): (name: Name) => string {
  let directory = "";
  beforeAll(async () => {
    await mkdir(`${root}.cache`, { recursive: true });
    directory = await mkdtemp(`${root}.cache/state-`);
    await build({
      absWorkingDir: root,
      entryPoints,
      outdir: directory,
      outExtension: { ".js": ".mjs" },
      bundle: true,
      packages: "external",
      platform: "node",
      format: "esm",
      target: "node20",
      logLevel: "warning",
    });
  });
  afterAll(async () => {
    await rm(directory, { recursive: true, force: true });
  });
  return (name) => `${directory}/${name}.mjs`;
}
