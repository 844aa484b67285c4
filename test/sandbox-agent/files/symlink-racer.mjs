import { linkSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";

/** Swaps, without end, a file and a directory below `root` for symbolic links to the same names below `outside`. */
const [root = "", outside = ""] = process.argv.slice(2);
const at = (name) => join(root, name);

/** Does a step unless a writer, which may make `dir` at any time, has just put something in its way. */
function attempt(step) {
  try {
    step();
    return true;
  } catch (error) {
    if (["EEXIST", "ENOTEMPTY", "EISDIR"].includes(error.code)) return false;
    throw error;
  }
}

function removeDirectory() {
  return attempt(() => rmSync(at("dir"), { recursive: true, force: true }));
}

mkdirSync(at("real-dir"), { recursive: true });
linkSync(at("inside.txt"), at("real-dir/canary.txt"));
for (;;) {
  rmSync(at("next"), { force: true });
  symlinkSync(join(outside, "canary.txt"), at("next"));
  renameSync(at("next"), at("file"));
  linkSync(at("inside.txt"), at("next"));
  renameSync(at("next"), at("file"));
  removeDirectory();
  attempt(() => symlinkSync(outside, at("dir")));
  removeDirectory();
  if (attempt(() => renameSync(at("real-dir"), at("dir")))) renameSync(at("dir"), at("real-dir"));
}
