import { once } from "node:events";
import type { AddressInfo, Server, Socket } from "node:net";
import { createServer } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import type { TLSSocket } from "node:tls";

import { detectHttpVersion } from "./first-bytes.js";

/** Certificate chain and key of the service, in PEM. */
export interface TlsIdentity {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** Options of listen. */
export interface ListenOptions {
  readonly host: string;
  /** 0 is any free port. */
  readonly port: number;
  /** Default: no TLS. */
  readonly tls: TlsIdentity | undefined;
  /** Longest wait for the first bytes of a connection, and for a TLS handshake, in ms. */
  readonly firstBytesTimeoutMs: number;
  /** Takes a connection that speaks HTTP/1.1. */
  readonly onHttp1: (socket: Socket) => void;
  /** Takes a connection that speaks HTTP/2. */
  readonly onHttp2: (socket: Socket) => void;
}

/** A port that takes HTTP/1.1 and HTTP/2. */
export interface Listener {
  readonly address: AddressInfo;
  /** Takes no new connections and destroys all that there are. Resolves once all are closed. */
  close(): Promise<void>;
}

const tcpKeepAliveMs = 30_000;

/** Listens on one port for HTTP/1.1 and HTTP/2, told apart by their first bytes. Rejects if the port cannot be had. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  };
  const server = makeServer(options, (socket) => {
    keep(socket);
    detectHttpVersion(socket, {
      timeoutMs: options.firstBytesTimeoutMs,
      onVersion: (version) => {
        if (version === "h1") options.onHttp1(socket);
        else {
          socket.allowHalfOpen = false;
          options.onHttp2(socket);
        }
      },
    });
  });
  server.on("connection", keep);
  server.listen({ host: options.host, port: options.port });
  await once(server, "listening");
  return {
    address: server.address() as AddressInfo,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function makeServer(options: ListenOptions, onSocket: (socket: Socket) => void): Server {
  const { tls, firstBytesTimeoutMs } = options;
  const shared = {
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: tcpKeepAliveMs,
    allowHalfOpen: true,
  };
  if (tls === undefined) return createServer(shared, onSocket);
  const server = createTlsServer({
    ...shared,
    ...tls,
    ALPNProtocols: ["h2", "http/1.1"],
    handshakeTimeout: firstBytesTimeoutMs,
    minVersion: "TLSv1.2",
  });
  server.on("secureConnection", (socket: TLSSocket) => onSocket(socket));
  server.on("tlsClientError", (_error, socket) => socket.destroy());
  return server;
}
