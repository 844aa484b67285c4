/** Passes a stream on, each step raced; `onEnd` is called once, when the stream ends in whatever way. */
export function raceIterable<T>(
  source: AsyncIterable<T>,
  options: { race: (pending: Promise<IteratorResult<T>>) => Promise<IteratorResult<T>>; onEnd: () => void },
): AsyncIterableIterator<T> {
  const iterator = source[Symbol.asyncIterator]();
  let over = false;
  const end = () => {
    if (over) return;
    over = true;
    options.onEnd();
  };
  const step = async (): Promise<IteratorResult<T>> => {
    try {
      const result = await options.race(iterator.next());
      if (result.done === true) end();
      return result;
    } catch (error) {
      end();
      throw error;
    }
  };
  return {
    next: step,
    return: async () => {
      end();
      await iterator.return?.();
      return { done: true, value: undefined };
    },
    throw: async (error: unknown) => {
      end();
      await iterator.return?.();
      throw error;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
