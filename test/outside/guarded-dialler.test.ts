import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ResolveHost } from "../../src/outside/resolve-host.js";
import { diallerTo, localServer, never, neverResolves } from "./local-servers.js";

const target = (host: string, port: number) => ({ host, port, timeoutMs: 2000, signal: never });

describe("the guarded dialler", () => {
  for (const host of ["127.0.0.1", "0x7f.1", "2130706433", "[::ffff:127.0.0.1]", "localhost", "0", "[::1]"]) {
    it(`refuses ${host} before it connects`, async () => {
      let visits = 0;
      const port = await localServer(() => (visits += 1));
      await expect(diallerTo([])(target(host, port))).rejects.toMatchObject({ code: "outside.refused" });
      expect(visits).toBe(0);
    });
  }

  it("connects to an address that the operator has opened", async () => {
    const port = await localServer((_request, response) => response.end("here"));
    const socket = await diallerTo(["127.0.0.1"])(target("0x7f.1", port));
    socket.end("GET / HTTP/1.0\r\n\r\n");
    expect(await text(socket)).toContain("here");
  });

  it("dials the address that it judged, whatever the name says the next time", async () => {
    const port = await localServer((_request, response) => response.end("here"));
    const answers = ["127.0.0.1", "127.0.0.2"];
    const resolve: ResolveHost = () => Promise.resolve([answers.shift() ?? "0.0.0.0"]);
    const dial = diallerTo(["127.0.0.1"], resolve);
    const socket = await dial(target("rebinding.example", port));
    expect(socket.remoteAddress).toBe("127.0.0.1");
    socket.destroy();
    await expect(dial(target("rebinding.example", port))).rejects.toMatchObject({ code: "outside.refused" });
  });

  it("refuses a name of which one address is not allowed", async () => {
    const port = await localServer(() => undefined);
    const dial = diallerTo(["127.0.0.1"], () => Promise.resolve(["127.0.0.1", "10.0.0.1"]));
    await expect(dial(target("mixed.example", port))).rejects.toThrow(
      "mixed.example resolves to an address that is not public (private)",
    );
  });

  it("tries the next address where nobody answers on the first", async () => {
    const port = await localServer((_request, response) => response.end(), "127.0.0.2");
    const dial = diallerTo(["127.0.0.0/8"], () => Promise.resolve(["127.0.0.1", "127.0.0.2"]));
    const socket = await dial(target("two.example", port));
    expect(socket.remoteAddress).toBe("127.0.0.2");
    socket.destroy();
  });

  it("says that a connection was refused by the host", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    await expect(diallerTo(["127.0.0.1"])(target("127.0.0.1", port))).rejects.toMatchObject({
      code: "outside.unreachable",
      message: `127.0.0.1:${port} cannot be connected to: the connection was refused`,
    });
  });

  it("gives up a name that nobody resolves in time, and at once when the caller leaves", async () => {
    const dial = diallerTo([], neverResolves);
    const slow = dial({ host: "slow.example", port: 80, timeoutMs: 50, signal: never });
    await expect(slow).rejects.toMatchObject({ code: "outside.timeout" });
    const leaving = new AbortController();
    const left = dial({ host: "slow.example", port: 80, timeoutMs: 60_000, signal: leaving.signal });
    leaving.abort(new Error("left"));
    await expect(left).rejects.toThrow("left");
  });

  it("says that a name has no address", async () => {
    const dial = diallerTo([]);
    await expect(dial(target("no-such-name.invalid", 80))).rejects.toMatchObject({
      code: "outside.not_found",
    });
  });

  it("keeps the connection open for writing when the other side has ended", async () => {
    const heard: string[] = [];
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      socket.end("bye");
      socket.on("data", (chunk) => heard.push(chunk.toString()));
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const socket = await diallerTo(["127.0.0.1"])(
      target("127.0.0.1", (server.address() as AddressInfo).port),
    );
    const [said] = (await once(socket, "data")) as [Buffer];
    await once(socket, "end");
    expect(said.toString()).toBe("bye");
    socket.end("still here");
    await once(socket, "close");
    await expect.poll(() => heard.join("")).toBe("still here");
  });

  for (const port of [0, 65_536, 1.5, Number.NaN]) {
    it(`refuses port ${port}`, async () => {
      await expect(diallerTo([])(target("example.com", port))).rejects.toMatchObject({
        code: "outside.invalid",
      });
    });
  }
});
