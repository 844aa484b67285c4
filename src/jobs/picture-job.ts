import sharp from "sharp";
import { pictureRequestSchema } from "./picture-request.js";
import { serveJob } from "./serve-job.js";
import { shrinkPicture } from "./shrink-picture.js";

sharp.cache(false);
sharp.concurrency(1);

await serveJob({
  input: process.stdin,
  output: process.stdout,
  handle: async ({ header, body }) => {
    const { info, bytes } = await shrinkPicture(body, pictureRequestSchema.parse(header));
    return { header: info, body: bytes };
  },
});
