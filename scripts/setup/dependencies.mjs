// Installs the npm packages when they are missing or belong to another lock file.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Makes node_modules fit package-lock.json. Install scripts are not run: no package of ours needs one. */
export function ensureDependencies(root) {
  const stamp = join(root, "node_modules/.handrail-lock");
  const lock = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lock) return;
  console.log("Installing npm packages …");
  const done = spawnSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (done.status !== 0) throw new Error("npm ci failed; see above");
  writeFileSync(stamp, lock);
}
