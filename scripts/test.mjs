// npm test: does all the set-up and runs the tests. As root on Debian with CI=1 or HANDRAIL_SETUP=1 it installs and
// starts what they need; otherwise it runs what can run, prints what is missing, and fails. With CI=1 the quick tests run
// once more on the newest Node that is supported.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { ensureDependencies } from "./setup/dependencies.mjs";
import { newestNode, newestNodePath } from "./setup/newest-node.mjs";
import { prepareTests } from "./setup/prepare-tests.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
ensureDependencies(root);
const { buildAll } = await import("./build.mjs");
await buildAll();
const { parts, missing, stop } = await prepareTests(root);

/** Runs vitest on a project. `node` is the path of Node; `more` are further arguments. */
function vitest(project, { node = process.execPath, more = [] } = {}) {
  const args = [
    "node_modules/vitest/vitest.mjs",
    "run",
    "--project",
    project,
    ...more,
    ...process.argv.slice(2),
  ];
  const done = spawnSync(node, args, {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, HANDRAIL_TEST_PARTS: parts.join(",") },
  });
  return done.status === 0;
}

let passed = true;
try {
  for (const project of ["quick", "engine", "timed"]) {
    console.log(`\n── ${project} tests`);
    passed = vitest(project) && passed;
  }
  if (process.env.CI) {
    // A second try, since limits of memory and time in these tests were found on the oldest Node.
    console.log(`\n── quick tests on Node ${newestNode}`);
    passed = vitest("quick", { node: newestNodePath(root), more: ["--retry=1"] }) && passed;
  }
} finally {
  await stop();
}
if (missing.length > 0) {
  console.error("\nSome tests could not run. Missing:");
  for (const line of missing) console.error(`  - ${line}`);
  console.error("As root on Debian, HANDRAIL_SETUP=1 npm test installs and starts them.");
}
process.exit(passed && missing.length === 0 ? 0 : 1);
