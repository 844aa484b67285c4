import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const COMPILERS = ["cc", "gcc", "clang", "musl-gcc"];
const FLAGS = ["-std=c11", "-D_GNU_SOURCE", "-Os", "-Wall", "-Wextra", "-static", "-s"];
const ROOT = fileURLToPath(new URL("..", import.meta.url));

function launcherSources() {
  const folder = join(ROOT, "src/sandbox-agent/launcher");
  return readdirSync(folder)
    .sort()
    .map((name) => join(folder, name));
}

function isNewer(output, sources) {
  const built = statSync(output, { throwIfNoEntry: false });
  return built !== undefined && sources.every((source) => statSync(source).mtimeMs < built.mtimeMs);
}

/**
 * Compiles the native launcher to `<outDir>/launcher` with the first compiler that can make a static binary.
 * Does nothing if the output is newer than its sources.
 *
 * @param {{ outDir: string }} options Directory of the output; it is made if it does not exist.
 * @returns {{ path: string } | { reason: string }} The binary, or why there is none.
 */
export function buildLauncher({ outDir }) {
  const output = join(outDir, "launcher");
  if (process.platform !== "linux")
    return { reason: `the launcher is for Linux, this is ${process.platform}` };
  const sources = launcherSources();
  if (isNewer(output, [...sources, fileURLToPath(import.meta.url)])) return { path: output };
  mkdirSync(outDir, { recursive: true });
  rmSync(output, { force: true });
  const unfinished = `${output}.${process.pid}.tmp`;
  const failures = [];
  for (const compiler of COMPILERS) {
    try {
      const files = sources.filter((source) => source.endsWith(".c"));
      execFileSync(compiler, [...FLAGS, "-o", unfinished, ...files], { stdio: ["ignore", "pipe", "pipe"] });
      renameSync(unfinished, output);
      return { path: output };
    } catch (error) {
      const said = String(error.stderr ?? "").trim();
      failures.push(`${compiler}: ${error.code === "ENOENT" ? "not found" : said.split("\n").at(-1)}`);
      rmSync(unfinished, { force: true });
    }
  }
  return { reason: failures.join("; ") };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const built = buildLauncher({ outDir: join(ROOT, "dist") });
  if ("path" in built) console.log(`launcher: ${built.path}`);
  else console.log(`launcher: not built, processes are supervised in a reduced way (${built.reason})`);
}
