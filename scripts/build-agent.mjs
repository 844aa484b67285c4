import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const placeholder = "handrail-build-id-placeholder";
const root = new URL("..", import.meta.url).pathname;

/**
 * Bundles the program that runs inside a sandbox into the one file `agent.cjs`. Its build id is a hash of its text.
 *
 * @param {{ outDir: string }} options
 * @returns {Promise<{ path: string, buildId: string, sizeBytes: number }>}
 */
export async function buildAgent({ outDir }) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ["src/sandbox-agent/main.ts"],
    bundle: true,
    write: false,
    format: "cjs",
    platform: "node",
    target: "node20",
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: "none",
    define: { HANDRAIL_BUILD_ID: JSON.stringify(placeholder) },
    logLevel: "warning",
  });
  const text = outputFiles[0]?.text ?? "";
  const buildId = createHash("sha256").update(text).digest("hex").slice(0, 16);
  const bundle = text.replaceAll(placeholder, buildId);
  const path = join(outDir, "agent.cjs");
  await mkdir(outDir, { recursive: true });
  await writeFile(path, bundle);
  return { path, buildId, sizeBytes: Buffer.byteLength(bundle) };
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { path, buildId, sizeBytes } = await buildAgent({ outDir: join(root, "dist") });
  console.log(`${path}: ${sizeBytes} bytes, build ${buildId}`);
}
