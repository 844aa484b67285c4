import { once } from "node:events";
import { Duplex, PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { isVulnerableRunc } from "../../../src/sandbox/docker/engine-facts.js";
import { ExecPipe } from "../../../src/sandbox/docker/exec-pipe.js";

function frame(type: number, content: string): Buffer {
  const data = Buffer.from(content, "latin1");
  const header = Buffer.alloc(8);
  header.writeUInt8(type, 0);
  header.writeUInt32BE(data.length, 4);
  return Buffer.concat([header, data]);
}

/** An exec pipe on a connection whose engine end is in the hands of the test. */
function pipeOnEngine(): { pipe: ExecPipe; engine: PassThrough; connection: Duplex } {
  const engine = new PassThrough();
  const connection = Duplex.from({ readable: engine, writable: new PassThrough() });
  return { pipe: new ExecPipe(connection), engine, connection };
}

async function readAll(pipe: ExecPipe): Promise<string> {
  let text = "";
  pipe.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")));
  await once(pipe, "end");
  return text;
}

const mimicry = "\x01\0\0\0\0\0\0\x05hello\x02\0\0\0\xff\xff\xff\xff";

describe("the pipe on an exec", () => {
  for (const sliceBytes of [1, 3, 7, 8, 9, 1000]) {
    it(`takes frames apart that arrive in slices of ${sliceBytes} bytes`, async () => {
      const { pipe, engine } = pipeOnEngine();
      const text = readAll(pipe);
      const bytes = Buffer.concat([frame(1, "abc\n"), frame(2, "def\n"), frame(1, ""), frame(1, mimicry)]);
      for (let at = 0; at < bytes.length; at += sliceBytes) engine.write(bytes.subarray(at, at + sliceBytes));
      engine.end();
      expect(await text).toBe(`abc\n${mimicry}`);
      expect(pipe.stderrTail()).toBe("def\n");
    });
  }

  it("fails when the connection ends inside a frame", async () => {
    const { pipe, engine } = pipeOnEngine();
    pipe.resume();
    engine.end(frame(1, "abc").subarray(0, 10));
    const [error] = (await once(pipe, "error")) as [Error];
    expect(error.message).toBe("the engine's stream ended inside a frame");
  });

  it("fails on bytes that are no frame", async () => {
    const { pipe, engine } = pipeOnEngine();
    pipe.resume();
    engine.write("HTTP/1.1 ");
    const [error] = (await once(pipe, "error")) as [Error];
    expect(error.message).toBe("the engine's stream has a frame of the unknown type 72");
  });

  it("keeps the engine's words when the program of the exec cannot be started", async () => {
    const { pipe, engine } = pipeOnEngine();
    pipe.resume();
    engine.write(frame(1, "OCI runtime exec failed: exec failed: node: not found"));
    await once(pipe, "error");
    expect(pipe.stderrTail()).toContain("node: not found");
  });

  it("stops reading the connection while nobody takes the output", async () => {
    const { pipe, engine, connection } = pipeOnEngine();
    pipe.read(0);
    for (let sent = 0; sent < 100; sent += 1) engine.write(frame(1, "x".repeat(65536)));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(pipe.readableLength).toBeLessThan(4 * 65536);
    expect(connection.isPaused()).toBe(true);
    pipe.destroy();
  });
});

describe("versions of runc", () => {
  for (const version of ["1.1.5+ds1", "1.2.7", "1.3.0", "1.3.2", "0.1.1", "1.0.0-rc93", "unknown"]) {
    it(`${version} is warned about`, () => expect(isVulnerableRunc(version)).toBe(true));
  }
  for (const version of ["1.2.8", "1.3.3", "1.4.0", "2.0.0"]) {
    it(`${version} is not`, () => expect(isVulnerableRunc(version)).toBe(false));
  }
});
