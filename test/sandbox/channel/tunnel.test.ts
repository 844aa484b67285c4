import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { buffer } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { Tunnel, tunnelWindowBytes } from "../../../src/sandbox/channel/tunnel.js";
import type { TunnelMessage } from "../../../src/sandbox/channel/tunnel.js";

/** Two ends that hear each other, and the most bytes that were under way from the first. */
function tunnelPair(): { near: Tunnel; far: Tunnel; mostAheadBytes: () => number } {
  let ahead = 0;
  let most = 0;
  const near: Tunnel = new Tunnel({
    send: (message) => {
      if (message.case === "data") most = Math.max(most, (ahead += message.value.byteLength));
      setImmediate(() => far.receive(message));
    },
  });
  const far: Tunnel = new Tunnel({
    send: (message) => {
      if (message.case === "takenBytes") ahead -= message.value;
      setImmediate(() => near.receive(message));
    },
  });
  return { near, far, mostAheadBytes: () => most };
}

const sha = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

describe("a tunnel", () => {
  it("carries bytes unchanged, never more under way than its window", async () => {
    const { near, far, mostAheadBytes } = tunnelPair();
    const bytes = randomBytes(3 * 1024 * 1024 + 7);
    near.end(bytes);
    far.end();
    near.resume();
    expect(sha(await buffer(far))).toBe(sha(bytes));
    expect(mostAheadBytes()).toBeLessThanOrEqual(tunnelWindowBytes);
  });

  it("sends no more than its window to an end that does not read", async () => {
    const { near, mostAheadBytes } = tunnelPair();
    near.write(Buffer.alloc(4 * 1024 * 1024));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(mostAheadBytes()).toBeLessThanOrEqual(tunnelWindowBytes + 128 * 1024);
  });

  it("ends each direction by itself", async () => {
    const { near, far } = tunnelPair();
    const heard: string[] = [];
    far.on("data", (chunk: Buffer) => heard.push(chunk.toString()));
    near.end("question");
    await once(far, "end");
    expect([heard, near.destroyed, far.destroyed]).toEqual([["question"], false, false]);
    far.end("answer");
    expect(String(await buffer(near))).toBe("answer");
  });

  it("is destroyed by an end that sends more than it may", async () => {
    const sent: TunnelMessage[] = [];
    const tunnel = new Tunnel({ send: (message) => void sent.push(message) });
    const failed = new Promise<Error>((resolve) => tunnel.once("error", resolve));
    for (let count = 0; count < 6; count += 1)
      tunnel.receive({ case: "data", value: new Uint8Array(64 * 1024) });
    expect((await failed).message).toBe("the other end of the tunnel sent more than it may");
  });

  it("is destroyed by bytes after the end", async () => {
    const tunnel = new Tunnel({ send: () => undefined });
    const failed = new Promise<Error>((resolve) => tunnel.once("error", resolve));
    tunnel.receive({ case: "end", value: {} });
    tunnel.receive({ case: "data", value: new Uint8Array(1) });
    expect((await failed).message).toContain("more than it may");
  });

  it("breaks off when what carries it is lost before both ends", async () => {
    const { near, far } = tunnelPair();
    const failed = new Promise<Error>((resolve) => far.once("error", resolve));
    near.write("part");
    far.lose(new Error("gone"));
    expect(await failed).toMatchObject({ message: "the connection broke off", cause: { message: "gone" } });
  });
});
