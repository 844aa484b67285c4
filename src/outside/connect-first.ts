import { connect } from "node:net";
import type { Socket } from "node:net";
import { OutsideError } from "./outside-error.js";

/** How long an address has before the next is tried beside it, in ms. */
const STAGGER_MS = 300;

/**
 * Connects to the first address that answers: each is tried when the one before has failed, or after 300 ms beside it.
 * The socket stays open for writing when the other side has ended. Throws OutsideError `outside.unreachable`, or the reason
 * of the signal.
 */
export function connectFirst(options: {
  addresses: readonly string[];
  port: number;
  /** The host by its name, for messages. */
  name: string;
  signal: AbortSignal;
}): Promise<Socket> {
  const { addresses, port, name, signal } = options;
  return new Promise((resolve, reject) => {
    const waiting = [...addresses];
    const trying = new Set<Socket>();
    let timer: NodeJS.Timeout | undefined;
    let lastError: unknown;

    const settle = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      for (const socket of trying) socket.destroy();
      trying.clear();
    };
    const onAbort = (): void => {
      settle();
      reject(signal.reason as Error);
    };
    const tryNext = (): void => {
      clearTimeout(timer);
      const host = waiting.shift();
      if (host === undefined) {
        if (trying.size > 0) return;
        settle();
        reject(unreachable(name, port, lastError));
        return;
      }
      const socket = connect({ host, port, allowHalfOpen: true, noDelay: true, autoSelectFamily: false });
      trying.add(socket);
      socket.on("error", (error) => {
        if (!trying.delete(socket)) return;
        lastError = error;
        tryNext();
      });
      socket.once("connect", () => {
        trying.delete(socket);
        settle();
        socket.removeAllListeners("error");
        resolve(socket);
      });
      if (waiting.length > 0) timer = setTimeout(tryNext, STAGGER_MS);
    };

    if (signal.aborted) {
      onAbort();
      return;
    }
    signal.addEventListener("abort", onAbort, { once: true });
    tryNext();
  });
}

function unreachable(name: string, port: number, cause: unknown): OutsideError {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "no address";
  const words: Readonly<Record<string, string>> = {
    ECONNREFUSED: "the connection was refused",
    ENETUNREACH: "the network is unreachable",
    EHOSTUNREACH: "the host is unreachable",
  };
  return new OutsideError(
    "outside.unreachable",
    `${name}:${port} cannot be connected to: ${words[code] ?? code}`,
    {
      cause,
    },
  );
}
