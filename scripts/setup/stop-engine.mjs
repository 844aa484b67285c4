// Stops the engine that ci-setup.mjs started, and waits until it has ended.
import { readFileSync, rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const file = fileURLToPath(new URL("../../.cache/started-engine.pid", import.meta.url));
const pid = Number(readFileSync(file, "utf8"));

/** True while a process has that id. */
function lives() {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

if (lives()) process.kill(pid, "SIGTERM");
for (let waitedMs = 0; waitedMs < 20_000 && lives(); waitedMs += 100) await sleep(100);
if (lives()) process.kill(pid, "SIGKILL");
rmSync(file, { force: true });
