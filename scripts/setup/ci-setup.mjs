// The set-up lane of CI: everything that npm test would set up, done and timed by itself. An engine that it starts is
// left for the test lane, and stopped by stop-engine.mjs.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ensureDependencies } from "./dependencies.mjs";
import { prepareTests } from "./prepare-tests.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
ensureDependencies(root);
const { buildAll } = await import("../build.mjs");
await buildAll();
const { missing, enginePid } = await prepareTests(root);
if (enginePid !== undefined) writeFileSync(`${root}.cache/started-engine.pid`, String(enginePid));
for (const line of missing) console.error(`missing: ${line}`);
process.exit(missing.length === 0 ? 0 : 1);
