import { connect, type Socket } from "node:net";
import { FrameReader, type Frame } from "./frame-reader.js";

/** Who hears a link. */
export interface SupervisorLinkListener {
  onFrame(frame: Frame): void;
  /** The link is closed, for good. `error` is the system's code, such as `ECONNREFUSED`, if there was one. */
  onClosed(closing: { connected: boolean; error?: string }): void;
}

/** The connection to the supervisor process of one run. Closing it ends all processes of the run at once. */
export class SupervisorLink {
  readonly #socket: Socket;
  readonly #frames = new FrameReader();

  constructor(socketPath: string, listener: SupervisorLinkListener) {
    let connected = false;
    let error: string | undefined;
    this.#socket = connect({ path: socketPath });
    this.#socket.on("connect", () => (connected = true));
    this.#socket.on("error", (cause: NodeJS.ErrnoException) => (error = cause.code ?? cause.name));
    this.#socket.on("close", () => listener.onClosed({ connected, ...(error !== undefined && { error }) }));
    this.#socket.on("data", (chunk) => {
      for (const frame of this.#frames.read(chunk)) listener.onFrame(frame);
    });
  }

  /** Sends a frame; dropped if the link is closed. */
  send(frame: Buffer): void {
    if (this.#socket.writable) this.#socket.write(frame);
  }

  /** Closes the link at once. */
  close(): void {
    this.#socket.destroy();
  }
}
