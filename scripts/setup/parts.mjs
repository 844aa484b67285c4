// The parts that tests need beside npm packages: how to find each, and how to get it on Debian.
import { spawnSync } from "node:child_process";

function has(program) {
  return spawnSync("sh", ["-c", `command -v ${program}`], { stdio: "ignore" }).status === 0;
}

/** Name, whether it is there, and the Debian packages that bring it. */
export const PARTS = [
  { name: "compiler", found: () => has("cc") || has("gcc") || has("clang"), packages: ["gcc", "libc6-dev"] },
  { name: "docker", found: () => has("dockerd"), packages: ["docker.io"] },
  { name: "debootstrap", found: () => has("debootstrap"), packages: ["debootstrap"] },
  { name: "bubblewrap", found: () => has("bwrap"), packages: ["bubblewrap"] },
  { name: "setpriv", found: () => has("setpriv"), packages: ["util-linux"] },
  { name: "curl", found: () => has("curl"), packages: ["curl"] },
  { name: "python3", found: () => has("python3"), packages: ["python3"] },
];

/** The parts that are not there. */
export function missingParts() {
  return PARTS.filter((part) => !part.found());
}

/** Installs parts with apt. Throws if that fails. */
export function installParts(parts) {
  const packages = parts.flatMap((part) => part.packages);
  if (packages.length === 0) return;
  console.log(`Installing ${packages.join(", ")} …`);
  const environment = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const options = { stdio: ["ignore", "ignore", "inherit"], env: environment };
  spawnSync("apt-get", ["update", "-qq"], options);
  const done = spawnSync(
    "apt-get",
    ["install", "-y", "-qq", "--no-install-recommends", ...packages],
    options,
  );
  if (done.status !== 0) throw new Error(`apt-get could not install ${packages.join(", ")}`);
}
