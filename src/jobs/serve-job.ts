import type { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { encodeFrame, FrameReader, type JobMessage } from "./job-frame.js";
import type { JobReply } from "./job-reply.js";

/** Thrown by a job's program for an input it will not work on. The message is meant for the model. */
export class JobRefusal extends Error {
  override readonly name = "JobRefusal";
}

const MAX_BODY_BYTES = 256 * 1024 * 1024;
const MAX_MESSAGE_UNITS = 1000;
const NO_BYTES = new Uint8Array();

/** What serveJob needs. */
export interface ServeJobOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** Does the work of one request. What it throws becomes the answer. */
  readonly handle: (request: JobMessage) => Promise<JobMessage>;
}

/** The child's end of a job: answers requests from `input` one after another until it ends. */
export async function serveJob({ input, output, handle }: ServeJobOptions): Promise<void> {
  const reader = new FrameReader(MAX_BODY_BYTES);
  await pipeline(
    input,
    async function* answers(chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        for (const request of reader.push(chunk)) yield* encodeFrame(await answer(request, handle));
      }
    },
    output,
  );
}

async function answer(request: JobMessage, handle: ServeJobOptions["handle"]): Promise<JobMessage> {
  try {
    const { header, body } = await handle(request);
    return { header: { status: "done", result: header ?? null } satisfies JobReply, body };
  } catch (error) {
    const message = (error instanceof Error ? error.message : String(error)).slice(0, MAX_MESSAGE_UNITS);
    const status = error instanceof JobRefusal ? "refused" : "failed";
    return { header: { status, message } satisfies JobReply, body: NO_BYTES };
  }
}
