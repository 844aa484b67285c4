import { median } from "./statistics.js";

/** The median duration of an action that is done `count` times, one after the other, in ms. */
export async function medianMs(count: number, action: () => Promise<unknown>): Promise<number> {
  const durationsMs: number[] = [];
  for (let turn = 0; turn < count; turn += 1) {
    const startedAt = performance.now();
    await action();
    durationsMs.push(performance.now() - startedAt);
  }
  return median(durationsMs);
}

/** How often a second an action is done by `callers` at once, over `ms`. */
export async function callsPerSecond(
  options: { callers: number; ms: number },
  action: () => Promise<unknown>,
): Promise<number> {
  const { callers, ms } = options;
  const startedAt = performance.now();
  let calls = 0;
  const caller = async () => {
    while (performance.now() - startedAt < ms) {
      await action();
      calls += 1;
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return (calls * 1000) / (performance.now() - startedAt);
}
