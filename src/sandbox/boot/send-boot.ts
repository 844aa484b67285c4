import type { Writable } from "node:stream";

/** What an agent is booted from. */
export interface BootParts {
  /** The built program of the agent. */
  readonly bundle: Uint8Array;
  /** The native launcher. Default: none; the agent then supervises with reduced means. */
  readonly launcher?: Uint8Array;
  /** Configuration of the agent; travels as JSON. */
  readonly config: object;
}

/**
 * Sends an agent to a process that runs the boot script. Resolves when the pipe has taken all bytes; what is written to
 * the pipe afterwards reaches the agent. Rejects if the pipe breaks.
 */
export async function sendBoot(pipe: Writable, { bundle, launcher, config }: BootParts): Promise<void> {
  const header = Buffer.from(
    JSON.stringify({ bundleBytes: bundle.byteLength, launcherBytes: launcher?.byteLength ?? 0, config }),
  );
  const length = Buffer.alloc(4);
  length.writeUInt32BE(header.byteLength);
  const parts = [length, header, bundle, launcher ?? new Uint8Array(0)];
  await new Promise<void>((resolve, reject) => {
    const settle = (error?: Error | null): void => {
      pipe.off("error", settle);
      pipe.off("close", onClose);
      if (error) reject(error);
      else resolve();
    };
    const onClose = (): void => settle(new Error("the pipe closed before the agent was sent"));
    pipe.on("error", settle);
    pipe.on("close", onClose);
    pipe.write(Buffer.concat(parts), settle);
  });
}
