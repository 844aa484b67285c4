import { toolError } from "../../domain/tool-result.js";
import type { ToolResult } from "../../domain/tool-result.js";
import { JobError } from "../../jobs/job-error.js";
import { MAX_PICTURE_INPUT_BYTES } from "../../jobs/picture.js";
import type { PreparedPicture } from "../../jobs/picture.js";
import type { WorkspaceFiles } from "../../workspace/workspace.js";

/** Makes a picture fit to be shown to a model. Rejects with JobError. */
export type PreparePicture = (
  bytes: Uint8Array,
  options: { signal: AbortSignal },
) => Promise<PreparedPicture>;

/** Shows a picture of the workspace. */
export async function pictureResult(options: {
  path: string;
  /** What its first bytes say it is. */
  format: string;
  files: WorkspaceFiles;
  preparePicture: PreparePicture;
  signal: AbortSignal;
}): Promise<ToolResult> {
  const { path, format, files, preparePicture, signal } = options;
  const { data } = await files.readAll({ path, maxFileBytes: MAX_PICTURE_INPUT_BYTES, signal });
  try {
    return shown(path, await preparePicture(data, { signal }));
  } catch (error) {
    if (!(error instanceof JobError)) throw error;
    return toolError({
      code: `read.picture_${error.kind}`,
      message: `${JSON.stringify(path)} is a ${format.toUpperCase()} picture that cannot be shown: ${error.message}`,
      retryable: error.kind === "timeout" || error.kind === "crash",
      fixBy: error.kind === "crash" ? "operator" : "model",
    });
  }
}

function shown(path: string, picture: PreparedPicture): ToolResult {
  const { mediaType, width, height, originalWidth, originalHeight, notes, bytes } = picture;
  const size =
    width === originalWidth && height === originalHeight
      ? `${width} × ${height} pixels`
      : `shown as ${width} × ${height} pixels, ${originalWidth} × ${originalHeight} in the file`;
  const altText = `${path}: ${mediaType}, ${size}`;
  return {
    outcome: "ok",
    content: [
      { kind: "text", text: [altText, ...notes].join("\n") },
      { kind: "picture", mediaType, data: bytes, width, height, altText },
    ],
    structured: {
      kind: "picture",
      media_type: mediaType,
      width,
      height,
      original_width: originalWidth,
      original_height: originalHeight,
    },
  };
}
