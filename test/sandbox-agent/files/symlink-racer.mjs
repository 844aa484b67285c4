import { linkSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";

/** Swaps, without end, a file and a directory below `root` for symbolic links to the same names below `outside`. */
const [root = "", outside = ""] = process.argv.slice(2);
const at = (name) => join(root, name);

mkdirSync(at("real-dir"), { recursive: true });
linkSync(at("inside.txt"), at("real-dir/canary.txt"));
for (;;) {
  rmSync(at("next"), { force: true });
  symlinkSync(join(outside, "canary.txt"), at("next"));
  renameSync(at("next"), at("file"));
  linkSync(at("inside.txt"), at("next"));
  renameSync(at("next"), at("file"));
  rmSync(at("dir"), { force: true });
  symlinkSync(outside, at("dir"));
  rmSync(at("dir"), { force: true });
  renameSync(at("real-dir"), at("dir"));
  renameSync(at("dir"), at("real-dir"));
}
