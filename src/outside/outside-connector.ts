import { connect as connectTls } from "node:tls";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { buildConnector } from "undici";
import { startDeadline } from "./deadline.js";
import type { GuardedDialler } from "./guarded-dialler.js";
import { readHost } from "./host.js";

/** Options of createOutsideConnector. */
export interface OutsideConnectorOptions {
  readonly dial: GuardedDialler;
  /** Longest time for name, connection and TLS together, in ms. */
  readonly connectMs: number;
  /** Certificates to trust in place of the system's, in PEM. Default: the system's. */
  readonly ca?: string | undefined;
}

/** Makes the connector by which undici opens its connections through the guarded dialler. */
export function createOutsideConnector(options: OutsideConnectorOptions): buildConnector.connector {
  return (target, callback) => {
    open(target, options).then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(error as Error, null),
    );
  };
}

async function open(
  target: buildConnector.Options,
  options: OutsideConnectorOptions,
): Promise<Socket | TLSSocket> {
  const { dial, connectMs, ca } = options;
  const isTls = target.protocol === "https:";
  const port = target.port === "" ? (isTls ? 443 : 80) : Number(target.port);
  const what = `connecting to ${target.hostname}:${port}`;
  const deadline = startDeadline({ timeoutMs: connectMs, signal: new AbortController().signal, what });
  try {
    const { signal } = deadline;
    const socket = await dial({ host: target.hostname, port, timeoutMs: connectMs, signal });
    if (!isTls) return socket;
    return await secure(socket, { host: target.servername ?? target.hostname, ca, signal });
  } finally {
    deadline.clear();
  }
}

function secure(
  socket: Socket,
  { host, ca, signal }: { host: string; ca: string | undefined; signal: AbortSignal },
): Promise<TLSSocket> {
  const { name, address } = readHost(host);
  const tls = connectTls({
    socket,
    host: name,
    ...(address === undefined ? { servername: name } : {}),
    ...(ca === undefined ? {} : { ca }),
    ALPNProtocols: ["http/1.1"],
  });
  return new Promise((resolve, reject) => {
    const onAbort = (): void => void tls.destroy(signal.reason as Error);
    const settle = (): void => {
      signal.removeEventListener("abort", onAbort);
      tls.off("error", onError);
      socket.off("error", onError);
    };
    const onError = (error: Error): void => {
      settle();
      tls.on("error", () => undefined);
      socket.on("error", () => undefined);
      tls.destroy();
      reject(error);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    tls.once("error", onError);
    socket.once("error", onError);
    tls.once("secureConnect", () => {
      settle();
      resolve(tls);
    });
  });
}
