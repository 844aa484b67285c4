import type { LosslessNumber } from "./lossless-number.js";

/** A JSON value. A number that a double would change is a LosslessNumber. */
export type JsonValue = null | boolean | number | string | LosslessNumber | readonly JsonValue[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}
