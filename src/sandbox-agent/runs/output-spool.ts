import { closeSync, writeSync } from "node:fs";
import type { Spool } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import type { Artifacts } from "./artifacts.js";

/**
 * Keeps the output of one run in an artifact, once it is more than a few bytes and up to a size. What cannot be written is
 * not kept; the run does not suffer.
 */
export class OutputSpool {
  readonly #artifacts: Artifacts;
  readonly #artifactId: string;
  readonly #afterBytes: number;
  readonly #maxBytes: number;
  #waiting: Uint8Array[] = [];
  #bytes = 0;
  #kept = 0;
  #fd: number | undefined;
  #isOver = false;

  constructor(artifacts: Artifacts, { artifactId, afterBytes, maxBytes }: Spool) {
    this.#artifacts = artifacts;
    this.#artifactId = artifactId;
    this.#afterBytes = Number(afterBytes);
    this.#maxBytes = Number(maxBytes);
  }

  /** Bytes that are kept. */
  get keptBytes(): number {
    return this.#kept;
  }

  /** True if all of the output is kept. */
  get isComplete(): boolean {
    return this.#kept === this.#bytes;
  }

  /** Takes output. The bytes must not change before the next turn of the event loop, or while there are few. */
  add(data: Uint8Array): void {
    this.#bytes += data.byteLength;
    if (this.#isOver) return;
    if (this.#fd === undefined && this.#bytes <= this.#afterBytes) {
      this.#waiting.push(data);
      return;
    }
    try {
      this.#fd ??= this.#artifacts.create(this.#artifactId);
      for (const piece of this.#waiting.splice(0)) this.#write(this.#fd, piece);
      this.#write(this.#fd, data);
    } catch {
      // A full or broken disk costs the artifact, not the run.
      this.close();
    }
  }

  /** No more output. */
  close(): void {
    this.#isOver = true;
    this.#waiting = [];
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  #write(fd: number, data: Uint8Array): void {
    const piece = data.subarray(0, this.#maxBytes - this.#kept);
    for (let at = 0; at < piece.byteLength;) {
      const written = writeSync(fd, piece, at);
      at += written;
      this.#kept += written;
    }
    if (this.#kept >= this.#maxBytes) this.close();
  }
}
