import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A socket in front of the engine that can be cut and mended. */
export class EngineProxy {
  readonly #directory = mkdtempSync(join(tmpdir(), "handrail-proxy-"));
  readonly socketPath = join(this.#directory, "docker.sock");
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;

  /** Listens; requests go through to the engine. */
  async mend(): Promise<void> {
    const server = createServer({ allowHalfOpen: true }, (client) => {
      const engine = connect({ path: "/var/run/docker.sock", allowHalfOpen: true });
      for (const socket of [client, engine]) {
        this.#sockets.add(socket);
        socket.on("error", () => socket.destroy());
        socket.on("close", () => {
          this.#sockets.delete(socket);
          client.destroy();
          engine.destroy();
        });
      }
      client.pipe(engine);
      engine.pipe(client);
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.socketPath, resolve));
  }

  /** Breaks every connection; new ones are refused. */
  async cut(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  /** Cuts and removes the socket. */
  async remove(): Promise<void> {
    await this.cut();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
