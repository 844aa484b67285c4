import type { StreamRequest, UnaryRequest } from "@connectrpc/connect";
import type { DescMessage, MessageShape } from "@bufbuild/protobuf";

/** A request of any kind that carries one message, as every RPC of the public contract does. */
export type AnyRequest = UnaryRequest | StreamRequest;

/** The one message of a request, and the request with that message still to be read. */
export async function takeInput(
  request: AnyRequest,
): Promise<{ input: MessageShape<DescMessage>; request: AnyRequest }> {
  if (!request.stream) return { input: request.message, request };
  const messages: MessageShape<DescMessage>[] = [];
  for await (const message of request.message) messages.push(message);
  const [input] = messages;
  if (input === undefined) throw new Error(`${request.method.name} came without a message`);
  return { input, request: { ...request, message: oneMessage(messages) } };
}

/** A stream of the given messages. */
export async function* oneMessage<T>(messages: readonly T[]): AsyncGenerator<T> {
  await Promise.resolve();
  yield* messages;
}
