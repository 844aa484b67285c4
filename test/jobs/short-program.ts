import { fileURLToPath } from "node:url";
import { JobRunner } from "../../src/jobs/job-runner.js";

const runner = new JobRunner({
  program: {
    scriptPath: fileURLToPath(new URL("./unruly-job.ts", import.meta.url)),
    execArgv: ["--import", "tsx"],
  },
  limits: { timeoutMs: 10_000, memoryBytes: 400 * 1024 * 1024, heapMiB: 64 },
});
const signal = new AbortController().signal;
const { body } = await runner.run({ header: "echo", body: Buffer.from("echo\n") }, { signal });
process.stdout.write(body);
const end = process.argv[2] ?? "leave";
if (end === "close") await runner.close();
process.stdout.write(`${end}\n`);
