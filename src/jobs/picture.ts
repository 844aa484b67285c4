import { JobError } from "./job-error.js";
import type { JobProgram } from "./job-program.js";
import { JobRunner, type JobRunnerOptions } from "./job-runner.js";
import { pictureInfoSchema, type PictureInfo, type PictureRequest } from "./picture-request.js";

/** A picture that a model can be shown. */
export interface PreparedPicture extends PictureInfo {
  readonly bytes: Uint8Array;
}

/** Options of preparePicture. */
export interface PreparePictureOptions {
  readonly runner: JobRunner;
  readonly signal: AbortSignal;
  /** Most bytes of the prepared picture. Default 1.5 MiB. */
  readonly maxBytes?: number;
}

/** Most bytes of a picture that is given to preparePicture. */
export const MAX_PICTURE_INPUT_BYTES = 32 * 1024 * 1024;

const DEFAULT_MAX_BYTES = 1.5 * 1024 * 1024;
const MAX_SIDE_PIXELS = 1568;
const MAX_INPUT_PIXELS = 100_000_000;

/** Makes the runner for preparePicture. `program` is the picture job's script. Close it when done. */
export function createPictureRunner(
  program: JobProgram,
  options: Partial<Omit<JobRunnerOptions, "program">> = {},
): JobRunner {
  const limits = { timeoutMs: 20_000, memoryBytes: 1024 * 1024 * 1024, heapMiB: 128 };
  return new JobRunner({ limits, ...options, program });
}

/**
 * Makes a picture fit to be shown to a model, in a child process: PNG, JPEG, GIF or WebP by content, one frame, upright,
 * at most 1,568 pixels long and `maxBytes` large. One that fits already comes back byte for byte. Rejects with JobError
 * (`refused` says what is wrong with the picture) or the reason of the signal.
 */
export async function preparePicture(
  bytes: Uint8Array,
  { runner, signal, maxBytes = DEFAULT_MAX_BYTES }: PreparePictureOptions,
): Promise<PreparedPicture> {
  if (bytes.length > MAX_PICTURE_INPUT_BYTES) {
    const limit = `the limit of ${MAX_PICTURE_INPUT_BYTES} bytes`;
    throw new JobError(
      "refused",
      `the picture has ${bytes.length} bytes, above ${limit}: make it smaller first`,
    );
  }
  const request: PictureRequest = {
    maxBytes,
    maxSidePixels: MAX_SIDE_PIXELS,
    maxInputPixels: MAX_INPUT_PIXELS,
  };
  const { header, body } = await runner.run({ header: request, body: bytes }, { signal });
  return { ...pictureInfoSchema.parse(header), bytes: body };
}
