// npm run check: every rule that is written down, in one run. Prints the seconds that each took.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { ensureDependencies } from "./setup/dependencies.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
ensureDependencies(root);

const environment = { ...process.env, PATH: `${root}node_modules/.bin:${process.env.PATH ?? ""}` };

const rules = [
  ["types", "tsc --noEmit -p ."],
  ["lint", "eslint --max-warnings 0 ."],
  ["format", "prettier --check --log-level warn ."],
  ["contract lint", "buf lint && buf format --diff --exit-code"],
  ["contract breaking", "buf breaking proto --against proto/contract.binpb"],
  ["generated code", "node scripts/check-generated.mjs"],
  ["layers", "depcruise src --config .dependency-cruiser.cjs --output-type err"],
  ["dead exports", "knip --no-progress"],
];

let failed = 0;
for (const [name, command] of rules) {
  const startedAt = Date.now();
  const { status, stdout, stderr } = spawnSync("sh", ["-c", command], {
    cwd: root,
    encoding: "utf8",
    env: environment,
  });
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  console.log(`${status === 0 ? "ok  " : "FAIL"} ${name} (${seconds} s)`);
  if (status === 0) continue;
  failed += 1;
  console.log(`${stdout}${stderr}`.trimEnd());
}
console.log(failed === 0 ? "all rules hold" : `${failed} of ${rules.length} rules are broken`);
process.exit(failed === 0 ? 0 : 1);
