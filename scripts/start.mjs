// npm start: on a fresh machine with Node alone, does all the set-up and serves.
import { fileURLToPath } from "node:url";
import { ensureDependencies } from "./setup/dependencies.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Handrail needs Node 20.19 or newer; this is ${process.versions.node}.`);
  process.exit(1);
}
ensureDependencies(root);
const { buildAll } = await import("./build.mjs");
await buildAll();
process.argv = [process.argv[0], `${root}dist/handrail.js`, "serve", ...process.argv.slice(2)];
await import("../dist/handrail.js");
