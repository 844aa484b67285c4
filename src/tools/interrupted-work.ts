import type { TruncatedText } from "../text/truncation-marker.js";

/** An error that ended the work of a tool, with what the work had printed until then. */
export class InterruptedWork extends Error {
  override readonly name = "InterruptedWork";
  readonly printed: TruncatedText;

  constructor(cause: unknown, printed: TruncatedText) {
    super("the work was interrupted", { cause });
    this.printed = printed;
  }
}
