import { JobRefusal, serveJob } from "../../src/jobs/serve-job.js";
import { setTimeout as sleep } from "node:timers/promises";

const hoard: unknown[] = [];

async function act(action: unknown): Promise<unknown> {
  switch (action) {
    case "echo":
      return process.pid;
    case "environment":
      return Object.keys(process.env);
    case "refuse":
      throw new JobRefusal("not this one");
    case "fail":
      throw new Error("a bug");
    case "hang":
      for (;;) Math.random();
    case "sleep":
      return sleep(300);
    case "heap":
      for (;;) hoard.push({ text: Math.random().toString(36) });
    case "buffers":
      for (;;) {
        hoard.push(Buffer.alloc(8 * 1024 * 1024, 1));
        await sleep(1);
      }
    case "garbage":
      process.stdout.write(Buffer.alloc(64, 0xff));
      return sleep(5000);
    case "abort":
      process.stderr.write("last words\n");
      process.abort();
  }
  return undefined;
}

await serveJob({
  input: process.stdin,
  output: process.stdout,
  handle: async ({ header, body }) => ({ header: await act(header), body }),
});
