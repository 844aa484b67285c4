import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";

/** A socket in front of the engine that hands on each answer of the engine one byte at a time. */
export async function startDribblingEngine(): Promise<{ socketPath: string; close: () => Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), "handrail-dribble-"));
  const socketPath = join(directory, "docker.sock");
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const engine = connect({ path: "/var/run/docker.sock", allowHalfOpen: true });
    for (const socket of [client, engine]) {
      sockets.add(socket);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => sockets.delete(socket));
    }
    client.on("close", () => engine.destroy());
    client.pipe(engine);
    void dribble(engine, client);
  });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  return {
    socketPath,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function dribble(from: Socket, to: Socket): Promise<void> {
  try {
    for await (const chunk of from as AsyncIterable<Buffer>) {
      for (let at = 0; at < chunk.length && !to.destroyed; at += 1) {
        to.write(chunk.subarray(at, at + 1));
        await nextTurn();
      }
    }
    to.end();
  } catch (error) {
    to.destroy(error instanceof Error ? error : undefined);
  }
}
