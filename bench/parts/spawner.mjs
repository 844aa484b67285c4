// A small process that spawns commands when told to, so that the size of another process does not slow the spawns.
import { spawn } from "node:child_process";
import { performance } from "node:perf_hooks";

/** Runs a command to its end. Resolves with the number of bytes that it printed. */
function runOnce([program, ...args]) {
  return new Promise((resolve, reject) => {
    let bytes = 0;
    const child = spawn(program, args);
    child.stdout.on("data", (chunk) => (bytes += chunk.length));
    child.stderr.resume();
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve(bytes);
      else reject(new Error(`${program} ended with ${code}`));
    });
  });
}

/** Runs a command `count` times, `callers` at once. */
async function runMany({ argv, count, callers }) {
  const durationsMs = [];
  let left = count;
  let bytes = 0;
  const startedAt = performance.now();
  const loop = async () => {
    while (left > 0) {
      left -= 1;
      const at = performance.now();
      bytes += await runOnce(argv);
      durationsMs.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: callers }, loop));
  return { durationsMs, bytes, elapsedMs: performance.now() - startedAt };
}

process.on("message", (job) => {
  runMany(job).then(
    (outcome) => process.send({ outcome, rssBytes: process.memoryUsage.rss() }),
    (error) => process.send({ error: String(error) }),
  );
});
process.on("disconnect", () => process.exit(0));
