import type { ArtifactReference } from "../domain/tool-result.js";
import type { TruncatedText } from "../text/truncation-marker.js";

/** An error that ended the work of a tool, with what the work had printed until then. */
export class InterruptedWork extends Error {
  override readonly name = "InterruptedWork";
  readonly printed: TruncatedText;
  /** Where the whole is if `printed` was cut. */
  readonly artifact: ArtifactReference;

  constructor(cause: unknown, options: { printed: TruncatedText; artifact: ArtifactReference }) {
    super("the work was interrupted", { cause });
    this.printed = options.printed;
    this.artifact = options.artifact;
  }
}
