import { Command, encodeFrame, OUTPUT_WINDOW_BYTES } from "./frames.js";
import { type ProcessSpec, StartError } from "./supervisor.js";

const MAX_REQUEST_BYTES = 32 * 1024 * 1024;

/** Encodes the first frame to a supervisor process. Throws StartError if it is larger than 32 MiB. */
export function encodeLaunchRequest(
  spec: ProcessSpec,
  { env }: { env: Readonly<Record<string, string>> },
): Buffer {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const strings = [spec.cwd, ...spec.argv, ...variables].map((text) => `${text}\0`).join("");
  const script = spec.script ?? new Uint8Array();
  const head = Buffer.alloc(18);
  head[0] = spec.stdin === "pipe" ? 1 : 0;
  head[1] = spec.script === undefined ? 0 : 1;
  head.writeUInt32LE(spec.argv.length, 2);
  head.writeUInt32LE(variables.length, 6);
  head.writeUInt32LE(OUTPUT_WINDOW_BYTES, 10);
  head.writeUInt32LE(script.byteLength, 14);
  const payload = Buffer.concat([head, Buffer.from(strings), script]);
  if (payload.length > MAX_REQUEST_BYTES)
    throw new StartError(
      "not-executable",
      `arguments, environment and script have ${payload.length} bytes: the limit is ${MAX_REQUEST_BYTES}`,
    );
  return encodeFrame(Command.start, payload);
}
