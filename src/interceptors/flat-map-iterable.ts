/** Passes a stream on, each item changed by `map` into any number of items. */
export function flatMapIterable<T, U>(
  source: AsyncIterable<T>,
  map: (item: T) => readonly U[] | Promise<readonly U[]>,
): AsyncIterableIterator<U> {
  const iterator = source[Symbol.asyncIterator]();
  const ready: U[] = [];
  return {
    async next() {
      for (;;) {
        const item = ready.shift();
        if (item !== undefined) return { done: false, value: item };
        const step = await iterator.next();
        if (step.done === true) return { done: true, value: undefined };
        ready.push(...(await map(step.value)));
      }
    },
    async return() {
      await iterator.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
