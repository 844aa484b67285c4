import type { StreamRequest, UnaryRequest } from "@connectrpc/connect";
import type { DescMessage, MessageShape } from "@bufbuild/protobuf";

/** A request of any kind that carries one message, as every RPC of the public contract does. */
export type AnyRequest = UnaryRequest | StreamRequest;

/** The one message of a request, and the request with that message still to be read. */
export async function takeInput(
  request: AnyRequest,
): Promise<{ input: MessageShape<DescMessage>; request: AnyRequest }> {
  if (!request.stream) return { input: request.message, request };
  if (request.message instanceof OneMessage)
    return { input: request.message.only as MessageShape<DescMessage>, request };
  const messages: MessageShape<DescMessage>[] = [];
  for await (const message of request.message) messages.push(message);
  const [input] = messages;
  if (input === undefined) throw new Error(`${request.method.name} came without a message`);
  return { input, request: { ...request, message: new OneMessage(input) } };
}

/** A stream of one message, which can be looked at any number of times. */
export class OneMessage<T> implements AsyncIterable<T> {
  readonly only: T;

  constructor(only: T) {
    this.only = only;
  }

  [Symbol.asyncIterator](): AsyncIterator<T> {
    let given = false;
    return {
      next: () => {
        const step = given ? ({ done: true, value: undefined } as const) : { done: false, value: this.only };
        given = true;
        return Promise.resolve(step);
      },
    };
  }
}
