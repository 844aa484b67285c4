import type { Socket } from "node:net";

const http2Preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/** Options of detectHttpVersion. */
export interface DetectOptions {
  /** Longest wait for the bytes that tell, in ms. A socket that says nothing until then is closed. */
  readonly timeoutMs: number;
  /** Called once with what the socket speaks. Its bytes are still to be read. Not called if the socket ends before. */
  readonly onVersion: (version: "h1" | "h2") => void;
}

/** Reads the first bytes of a socket and puts them back: HTTP/2 begins with a fixed preface, all else is HTTP/1.1. */
export function detectHttpVersion(socket: Socket, { timeoutMs, onVersion }: DetectOptions): void {
  let head: Buffer = Buffer.alloc(0);
  const giveUp = (): void => {
    stop();
    socket.destroy();
  };
  const timer = setTimeout(giveUp, timeoutMs);
  const onReadable = (): void => {
    const chunk = socket.read() as Buffer | null;
    if (chunk === null) return;
    head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
    const compared = Math.min(head.length, http2Preface.length);
    const isPreface = http2Preface.compare(head, 0, compared, 0, compared) === 0;
    if (isPreface && compared < http2Preface.length) return;
    stop();
    socket.unshift(head);
    onVersion(isPreface ? "h2" : "h1");
  };
  const stop = (): void => {
    clearTimeout(timer);
    socket.off("readable", onReadable);
    socket.off("end", giveUp);
    socket.off("error", giveUp);
    socket.off("close", stop);
  };
  socket.on("readable", onReadable);
  socket.once("end", giveUp);
  socket.once("error", giveUp);
  socket.once("close", stop);
}
