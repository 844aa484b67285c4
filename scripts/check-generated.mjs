// Fails if gen/ is not what the protos give.
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const fresh = mkdtempSync(join(tmpdir(), "handrail-gen-"));
try {
  const template = readFileSync(join(root, "buf.gen.yaml"), "utf8").replace("out: gen", `out: ${fresh}/gen`);
  writeFileSync(join(fresh, "buf.gen.yaml"), template);
  cpSync(join(root, "buf.yaml"), join(fresh, "buf.yaml"));
  const run = (command, args) => spawnSync(command, args, { cwd: root, stdio: "inherit" }).status;
  const made = run("node_modules/.bin/buf", ["generate", "--template", join(fresh, "buf.gen.yaml")]);
  const same = made === 0 && run("diff", ["-r", "gen", join(fresh, "gen")]) === 0;
  if (!same) console.error("gen/ does not fit the protos: run npm run generate");
  process.exitCode = same ? 0 : 1;
} finally {
  rmSync(fresh, { recursive: true, force: true });
}
