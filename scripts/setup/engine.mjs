// Finds a container engine, or starts one and stops only that one.
import { spawn } from "node:child_process";
import { mkdirSync, openSync } from "node:fs";
import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

const SOCKET = "/var/run/docker.sock";

/** True if an engine answers on the usual socket. */
export function engineAnswers() {
  return new Promise((resolve) => {
    const ping = request({ socketPath: SOCKET, path: "/_ping", timeout: 3000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    ping.on("error", () => resolve(false));
    ping.on("timeout", () => ping.destroy());
    ping.end();
  });
}

/** Starts dockerd and waits until it answers. Resolves with its process id and what stops it and waits for its end. */
export async function startEngine(root) {
  mkdirSync(`${root}/.cache`, { recursive: true });
  const log = openSync(`${root}/.cache/dockerd.log`, "w");
  const engine = spawn("dockerd", ["--host", `unix://${SOCKET}`], {
    stdio: ["ignore", log, log],
    detached: true,
  });
  let over = false;
  const ended = new Promise((resolve) => {
    engine.once("exit", () => {
      over = true;
      resolve();
    });
    engine.once("error", () => {
      over = true;
      resolve();
    });
  });
  for (let waitedMs = 0; waitedMs < 60_000 && !over; waitedMs += 250) {
    if (await engineAnswers()) {
      engine.unref();
      const stop = async () => {
        engine.ref();
        engine.kill("SIGTERM");
        await Promise.race([
          ended,
          sleep(20_000, undefined, { ref: false }).then(() => engine.kill("SIGKILL")),
        ]);
      };
      return { pid: engine.pid, stop };
    }
    await sleep(250);
  }
  engine.kill("SIGKILL");
  throw new Error("dockerd did not start; its log is .cache/dockerd.log");
}
