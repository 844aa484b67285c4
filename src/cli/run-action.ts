import { describeRpcError } from "./describe-rpc-error.js";
import { EXIT } from "./exit-code.js";

/** What a person did wrong at the command line, in words for them. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** What went wrong on this machine, such as a file that cannot be read. */
export class LocalError extends Error {
  override readonly name = "LocalError";
}

/** Does what a command is for, says what went wrong in a line or two, and sets the exit code. */
export async function runAction(url: string, action: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await action();
  } catch (error) {
    if (error instanceof UsageError || error instanceof LocalError) {
      console.error(`handrail: ${error.message}`);
      process.exitCode = error instanceof UsageError ? EXIT.usage : EXIT.toolError;
      return;
    }
    console.error(describeRpcError(error, url));
    process.exitCode = EXIT.service;
  }
}
