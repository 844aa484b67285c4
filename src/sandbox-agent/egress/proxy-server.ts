import { once } from "node:events";
import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { serveConnect } from "./connect-request.js";
import type { DialBoard } from "./dial-board.js";
import { forwardRequest } from "./forward-request.js";

/** Most connections of programs that the proxy keeps open; further ones are closed at once. */
const maxConnections = 512;

/** A proxy that listens. */
export interface ProxyServer {
  /** Port of the loopback. */
  readonly port: number;
  /** Closes it with all its connections. */
  close(): void;
}

/** Options of startProxy. */
export interface ProxyOptions {
  /** Wished port of the loopback; 0 is any. If it is taken, a free one serves. */
  readonly port: number;
  readonly board: DialBoard;
  /** Hears of exceptions, which are bugs. */
  readonly onInternalError: (error: unknown) => void;
}

/** Starts the HTTP proxy by which programs of the sandbox reach the outside. */
export async function startProxy({ port, board, onInternalError }: ProxyOptions): Promise<ProxyServer> {
  const server = createServer({ requestTimeout: 0, keepAliveTimeout: 60_000 });
  server.maxConnections = maxConnections;
  server.on("request", (asked, reply) => {
    forwardRequest(asked, reply, board).catch((error: unknown) => {
      reply.destroy();
      onInternalError(error);
    });
  });
  server.on("connect", (asked, socket, head) => {
    serveConnect({ authority: asked.url ?? "", socket, head }, board).catch((error: unknown) => {
      socket.destroy();
      onInternalError(error);
    });
  });
  await listen(server, port);
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function listen(server: Server, port: number): Promise<void> {
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EADDRINUSE") || port === 0)
      throw error;
    await listen(server, 0);
  }
}
