import type { TruncatedText } from "../../text/truncation-marker.js";
import { BoundedText } from "../../text/bounded-text.js";
import { Neutraliser } from "../../text/neutralise.js";
import { isPlainBytes } from "../../text/plain-bytes.js";
import { StreamDecoder } from "../../text/stream-decoder.js";
import type { TextBudget } from "../define.js";

type StreamName = "stdout" | "stderr";

interface Pipeline {
  readonly decoder: StreamDecoder;
  readonly neutraliser: Neutraliser;
}

/**
 * What a process printed, as text for a model, in the order in which it came: each stream is decoded and neutralised by
 * itself, and the whole is held in memory that does not grow beyond the budget.
 */
export class OutputText {
  readonly #text: BoundedText;
  readonly #streams: Record<StreamName, Pipeline> = { stdout: newPipeline(), stderr: newPipeline() };
  #finished: TruncatedText | undefined;

  /** Keeps both ends unless the budget says otherwise. */
  constructor(budget: TextBudget) {
    this.#text = new BoundedText({ maxBytes: budget.maxBytes, keep: budget.keep ?? "both" });
  }

  /** Adds bytes of a stream. */
  push(stream: StreamName, data: Uint8Array): void {
    const { decoder, neutraliser } = this.#streams[stream];
    if (decoder.isAtRest && neutraliser.isAtRest && isPlainBytes(data)) {
      this.#text.append(Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("latin1"));
      return;
    }
    this.#text.append(neutraliser.push(decoder.push(data)));
  }

  /** Ends both streams: the text within the budget. */
  finish(): TruncatedText {
    if (this.#finished !== undefined) return this.#finished;
    for (const { decoder, neutraliser } of Object.values(this.#streams)) {
      this.#text.append(neutraliser.push(decoder.flush()) + neutraliser.flush());
    }
    this.#finished = this.#text.result();
    return this.#finished;
  }
}

function newPipeline(): Pipeline {
  return { decoder: new StreamDecoder(), neutraliser: new Neutraliser() };
}
