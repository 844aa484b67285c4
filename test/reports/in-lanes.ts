/** Runs all, `lanes` at once, and answers in order. */
export async function inLanes<T>(lanes: number, work: readonly (() => Promise<T>)[]): Promise<T[]> {
  const answers: T[] = [];
  const queue = [...work.entries()];
  const lane = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      answers[next[0]] = await next[1]();
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return answers;
}
