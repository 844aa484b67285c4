// Gets what the tests need, or says what is missing and how to get it.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { engineAnswers, startEngine } from "./engine.mjs";
import { installParts, missingParts } from "./parts.mjs";

/** True if set-up may install and start things: root on Debian, asked for by CI or HANDRAIL_SETUP. */
export function maySetUp() {
  const asked = ["CI", "HANDRAIL_SETUP"].some(
    (name) => !["", "0", "false", undefined].includes(process.env[name]),
  );
  return asked && process.getuid?.() === 0 && existsSync("/etc/debian_version");
}

/** Names of the parts that tests can use, what is missing with the way to get it, and what undoes the set-up. */
export async function prepareTests(root) {
  const missing = [];
  let stop = async () => undefined;
  let enginePid;
  if (maySetUp()) installParts(missingParts());
  for (const part of missingParts()) missing.push(`${part.name}: apt-get install ${part.packages.join(" ")}`);
  let engine = await engineAnswers();
  if (!engine && maySetUp()) {
    console.log("Starting a container engine …");
    ({ stop, pid: enginePid } = await startEngine(root));
    engine = true;
  }
  if (!engine) missing.push("a container engine that answers: start dockerd");
  let image = false;
  if (engine) {
    const made = spawnSync("bash", [`${root}/scripts/sandbox-image.sh`], { cwd: root, stdio: "inherit" });
    image = made.status === 0;
    if (!image) missing.push("the sandbox image: npm run image");
  }
  const parts = [...(engine && image ? ["docker"] : [])];
  for (const name of ["bubblewrap", "python3", "curl"]) {
    if (!missingParts().some((part) => part.name === name)) parts.push(name);
  }
  return { parts, missing, stop, enginePid };
}
