/** Passes a stream on, each item changed by `map`. */
export function mapIterable<T, U>(source: AsyncIterable<T>, map: (item: T) => U): AsyncIterableIterator<U> {
  const iterator = source[Symbol.asyncIterator]();
  return {
    async next() {
      const step = await iterator.next();
      return step.done === true ? { done: true, value: undefined } : { done: false, value: map(step.value) };
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
