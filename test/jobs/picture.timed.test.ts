import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { afterAll, expect, test } from "vitest";
import { createPictureRunner, preparePicture } from "../../src/jobs/picture.js";

const runner = createPictureRunner({
  scriptPath: fileURLToPath(new URL("../../src/jobs/picture-job.ts", import.meta.url)),
  execArgv: ["--import", "tsx"],
});
afterAll(() => runner.close());

test("passes a small picture in under 100 ms once the process is warm", async () => {
  const { signal } = new AbortController();
  const create = { width: 800, height: 600, channels: 3 as const, background: "#3366cc" };
  const bytes = await sharp({ create }).png().toBuffer();
  await preparePicture(bytes, { runner, signal });
  const start = performance.now();
  await preparePicture(bytes, { runner, signal });
  expect(performance.now() - start).toBeLessThan(100);
});
