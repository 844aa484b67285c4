import type { Interceptor } from "@connectrpc/connect";
import { ConnectError } from "@connectrpc/connect";

function toReadable(reason: unknown): unknown {
  if (!(reason instanceof ConnectError)) return reason;
  const wellFormed = Buffer.from(reason.rawMessage).toString();
  if (wellFormed === reason.rawMessage) return reason;
  const readable = new ConnectError(wellFormed, reason.code, reason.metadata, undefined, reason.cause);
  readable.details = reason.details;
  return readable;
}

function wrap<T>(source: AsyncIterable<T>): AsyncIterable<T> {
  const rethrow = (reason: unknown): never => {
    throw toReadable(reason);
  };
  return {
    [Symbol.asyncIterator]() {
      const it = source[Symbol.asyncIterator]();
      const wrapped: AsyncIterator<T> = { next: () => it.next().catch(rethrow) };
      if (it.return)
        wrapped.return = (value) => it.return?.(value) ?? Promise.resolve({ done: true, value: undefined });
      if (it.throw)
        wrapped.throw = (error) => it.throw?.(error).catch(rethrow) ?? Promise.reject(toError(error));
      return wrapped;
    },
  };
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}

/**
 * Replaces lone surrogates in the message of an error by U+FFFD. Without it the status of such an error could not be
 * encoded for gRPC.
 */
export const readableErrors: Interceptor = (next) => async (request) => {
  try {
    const response = await next(request);
    return response.stream ? { ...response, message: wrap(response.message) } : response;
  } catch (reason) {
    throw toReadable(reason);
  }
};
