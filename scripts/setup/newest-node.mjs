import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** The newest Node that is supported. */
export const newestNode = "24.21.0";

/**
 * The path of the newest Node, fetched from the npm registry the first time. It lies below the project, where the users
 * of sandboxes can run it too.
 */
export function newestNodePath(root) {
  const directory = join(root, ".cache", `node-${newestNode}`);
  const path = join(directory, "node_modules/node/bin/node");
  if (existsSync(path)) return path;
  const args = [
    "install",
    "--no-save",
    "--no-audit",
    "--no-fund",
    "--prefix",
    directory,
    `node@${newestNode}`,
  ];
  const done = spawnSync("npm", args, { stdio: ["ignore", "ignore", "inherit"] });
  if (done.status !== 0) throw new Error(`Node ${newestNode} could not be fetched`);
  return path;
}
