import { CarriageReturns, type CarriageReturnMode } from "./carriage-returns.js";
import { EscapeStripper } from "./escape-stripper.js";

/** Options of neutralise and Neutraliser. */
export interface NeutraliseOptions {
  /** What a carriage return that ends no line becomes. Default `newline`. */
  readonly carriageReturn?: CarriageReturnMode;
}

/**
 * Makes a stream of text safe to show to a model, in chunks. The result does not depend on where chunks are cut, holds
 * no control character but newline and tab, and is left alone by a second pass.
 */
export class Neutraliser {
  readonly #escapes = new EscapeStripper();
  readonly #returns: CarriageReturns;

  constructor({ carriageReturn = "newline" }: NeutraliseOptions = {}) {
    this.#returns = new CarriageReturns(carriageReturn);
  }

  /** True if nothing is held back, so that plain text may go past. */
  get isAtRest(): boolean {
    return this.#escapes.isAtRest && this.#returns.isAtRest;
  }

  /** Text that no later chunk can change. */
  push(chunk: string): string {
    return this.#returns.push(this.#escapes.push(chunk));
  }

  /** Ends the text: what was held back. */
  flush(): string {
    return this.#returns.push(this.#escapes.flush()) + this.#returns.flush();
  }
}

/** Makes a whole text safe to show to a model. See EscapeStripper and CarriageReturnMode for what becomes of what. */
export function neutralise(text: string, options: NeutraliseOptions = {}): string {
  const neutraliser = new Neutraliser(options);
  return neutraliser.push(text) + neutraliser.flush();
}
