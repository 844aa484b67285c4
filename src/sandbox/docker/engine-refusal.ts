/** The engine answered, and refused. */
export interface EngineRefusal {
  /** HTTP status. */
  readonly status: number;
  /** What the engine says. It may name paths of the engine's machine: for operators only. */
  readonly text: string;
}

/** The refusal in an error of the engine's client; undefined if the engine did not answer. */
export function engineRefusal(error: unknown): EngineRefusal | undefined {
  if (!(error instanceof Error) || !("statusCode" in error) || typeof error.statusCode !== "number") {
    return undefined;
  }
  const json = "json" in error ? error.json : undefined;
  const text =
    typeof json === "object" && json !== null && "message" in json && typeof json.message === "string"
      ? json.message
      : error.message;
  return { status: error.statusCode, text: text.trim() };
}

/** True if the engine says that the container does not exist. */
export function isNoSuchContainer(error: unknown): boolean {
  const refusal = engineRefusal(error);
  return refusal?.status === 404 && /no such container/i.test(refusal.text);
}

/** True if the engine says that the image does not exist. */
export function isNoSuchImage(error: unknown): boolean {
  const refusal = engineRefusal(error);
  return refusal?.status === 404 && /no such image/i.test(refusal.text);
}

/** True if the engine says that the request is at odds with the state of the container or volume. */
export function isConflict(error: unknown): boolean {
  return engineRefusal(error)?.status === 409;
}
