import { once } from "node:events";
import type { Tunnel, TunnelMessage } from "../../sandbox/channel/tunnel.js";

/**
 * Hands the further requests of a stream to a tunnel. Resolves when the tunnel is closed, for whatever reason: what broke
 * it off is told to the one who uses it.
 */
export async function carryTunnel<
  Request extends { readonly message: { readonly case: string | undefined } },
>(tunnel: Tunnel, input: AsyncIterator<Request>): Promise<void> {
  const closed = tunnel.closed ? Promise.resolve() : once(tunnel, "close");
  tunnel.on("error", () => undefined);
  void feed(tunnel, input).then(
    () => tunnel.lose(),
    (error: unknown) => tunnel.lose(error),
  );
  await closed;
}

async function feed<Request extends { readonly message: { readonly case: string | undefined } }>(
  tunnel: Tunnel,
  input: AsyncIterator<Request>,
): Promise<void> {
  for (let next = await input.next(); next.done !== true; next = await input.next()) {
    const { message } = next.value;
    if (isOfTunnel(message)) tunnel.receive(message);
  }
}

function isOfTunnel(message: { readonly case: string | undefined }): message is TunnelMessage {
  return message.case === "data" || message.case === "takenBytes" || message.case === "end";
}
