/** Why the outside could not be reached, or was not let in. */
export type OutsideCode =
  /** A rule forbids it. */
  | "outside.refused"
  /** The address, URL or request is malformed. */
  | "outside.invalid"
  /** The name has no address. */
  | "outside.not_found"
  /** No address could be connected to. */
  | "outside.unreachable"
  /** A clock fired. */
  | "outside.timeout"
  /** More bytes than the limit. */
  | "outside.too_large"
  /** More redirects than the limit. */
  | "outside.too_many_redirects"
  /** The connection broke off, or what came is not HTTP. */
  | "outside.broken";

/** The outside could not be reached, or was not let in. The message is safe for a model and names the limit or rule. */
export class OutsideError extends Error {
  override readonly name = "OutsideError";
  readonly code: OutsideCode;
  /** The address that was refused, for operators: what an inner name resolves to is not for a model. */
  readonly address: string | undefined;

  constructor(code: OutsideCode, message: string, options: { cause?: unknown; address?: string } = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.address = options.address;
  }
}
