// Builds the service into dist/: the launcher (C), the agent bundle, and the command line with everything behind it.
import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { buildAgent } from "./build-agent.mjs";
import { publishBuild } from "./publish-build.mjs";
import { buildLauncher } from "./build-launcher.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Builds everything into `outDir`. */
export async function buildAll({ outDir = `${root}dist` } = {}) {
  const staging = `${outDir}.${process.pid}`;
  await rm(staging, { recursive: true, force: true });
  await buildLauncher({ outDir });
  await buildAgent({ outDir: staging });
  await build({
    absWorkingDir: root,
    entryPoints: {
      handrail: "src/cli/handrail.ts",
      "picture-job": "src/jobs/picture-job.ts",
      "state-check": "src/state/embedded/check-main.ts",
    },
    outdir: staging,
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    target: "node20",
    splitting: true,
    chunkNames: "chunks/[name]-[hash]",
    sourcemap: "linked",
    logLevel: "warning",
  });
  await publishBuild({
    from: staging,
    to: outDir,
    entries: ["handrail.js", "picture-job.js", "state-check.js"],
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildAll();
  console.log("built dist/");
}
