import { connect, type Socket } from "node:net";
import { FrameReader, type Frame } from "./frame-reader.js";

/** How a link was closed. `error` is the system's code, such as `ECONNREFUSED`, if there was one. */
export interface Closing {
  readonly connected: boolean;
  readonly error?: string;
}

/** Who hears a link. */
export interface SupervisorLinkListener {
  onFrame(frame: Frame): void;
  /** The link is closed, for good. */
  onClosed(closing: Closing): void;
}

/** The connection to the supervisor process of one run. Closing it ends all processes of the run at once. */
export class SupervisorLink {
  readonly #socket: Socket;
  readonly #frames = new FrameReader();
  #listener: SupervisorLinkListener | undefined;

  /** Connects; a supervisor process is then kept for the link. */
  constructor(socketPath: string) {
    let connected = false;
    let error: string | undefined;
    this.#socket = connect({ path: socketPath });
    this.#socket.on("connect", () => (connected = true));
    this.#socket.on("error", (cause: NodeJS.ErrnoException) => (error = cause.code ?? cause.name));
    this.#socket.on("close", () =>
      this.#listener?.onClosed({ connected, ...(error !== undefined && { error }) }),
    );
    this.#socket.on("data", (chunk) => {
      const listener = this.#listener;
      if (listener === undefined) this.close();
      else for (const frame of this.#frames.read(chunk)) listener.onFrame(frame);
    });
  }

  /** True while nothing speaks against sending. */
  get isOpen(): boolean {
    return this.#socket.writable;
  }

  /**
   * Names who hears the link; to be called at once, or while the link is open. What comes before is the refusal of a
   * supervisor, which closes the link.
   */
  listen(listener: SupervisorLinkListener): void {
    this.#listener = listener;
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
