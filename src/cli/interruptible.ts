import { EXIT } from "./exit-code.js";

/** Does something that the first Ctrl-C stops and lets clean up; the second leaves at once. Gives the exit code. */
export async function interruptible(action: (signal: AbortSignal) => Promise<number>): Promise<number> {
  const interrupt = new AbortController();
  const onInterrupt = (): void => {
    if (interrupt.signal.aborted) process.exit(EXIT.canceled);
    interrupt.abort(new Error("interrupted at the terminal"));
  };
  process.on("SIGINT", onInterrupt);
  try {
    return await action(interrupt.signal);
  } catch (error) {
    if (!interrupt.signal.aborted) throw error;
    console.error("handrail: interrupted");
    return EXIT.canceled;
  } finally {
    process.off("SIGINT", onInterrupt);
  }
}
