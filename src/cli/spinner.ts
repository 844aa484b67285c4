const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_MS = 100;

/** Nothing is shown for a call that is over before this, in ms. */
const PATIENCE_MS = 300;
const USUAL_COLUMNS = 80;
const CLEAR_LINE = "\r\u001b[K";

/** Says on a terminal what is being waited for and for how long; writes nothing where there is none. */
export class Spinner {
  readonly #out: NodeJS.WriteStream;
  readonly #startedAt = performance.now();
  #label: string;
  #timer: NodeJS.Timeout | undefined;
  #isShown = false;

  constructor(out: NodeJS.WriteStream, label: string) {
    this.#out = out;
    this.#label = label;
    if (!out.isTTY) return;
    this.#timer = setInterval(() => this.#draw(), FRAME_MS);
    this.#timer.unref();
  }

  /** Says that something else is being waited for. */
  say(label: string): void {
    this.#label = label;
  }

  /** Takes the line away, so that something can be printed; the next frame brings it back. */
  clear(): void {
    if (this.#isShown) this.#out.write(CLEAR_LINE);
    this.#isShown = false;
  }

  /** Takes the line away for good. */
  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.clear();
  }

  #draw(): void {
    const elapsedMs = performance.now() - this.#startedAt;
    if (elapsedMs < PATIENCE_MS) return;
    const frame = FRAMES[Math.floor(elapsedMs / FRAME_MS) % FRAMES.length] ?? "";
    const elapsed = `${(elapsedMs / 1000).toFixed(1)} s`;
    const room = (this.#out.columns || USUAL_COLUMNS) - elapsed.length - 4;
    this.#out.write(`${CLEAR_LINE}${frame} ${this.#label.slice(0, Math.max(0, room))} ${elapsed}`);
    this.#isShown = true;
  }
}
