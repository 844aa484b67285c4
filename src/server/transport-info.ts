import type { Http2Session } from "node:http2";
import type { Socket } from "node:net";

import type { TransportInfo } from "../rpc/context-keys.js";
import type { NodeRequest } from "./node-exchange.js";
import { isHttp2Request } from "./node-exchange.js";

/** Describes the connection of a request. `socketOf` finds the socket below an HTTP/2 session. */
export function transportInfo(
  request: NodeRequest,
  socketOf: (session: Http2Session) => Socket | undefined,
): TransportInfo {
  if (!isHttp2Request(request)) {
    const { socket } = request;
    return {
      protocol: "h1",
      remoteAddress: socket.remoteAddress ?? "",
      disconnected: () => socket.destroyed,
    };
  }
  const { session } = request.stream;
  const socket = session && socketOf(session);
  return {
    protocol: "h2",
    remoteAddress: socket?.remoteAddress ?? "",
    disconnected: () => socket === undefined || socket.destroyed || session?.destroyed !== false,
  };
}
