import { spawn } from "node:child_process";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { bootScript } from "../../src/sandbox/boot/boot-script.js";
import { sendBoot } from "../../src/sandbox/boot/send-boot.js";

const config = { answer: 42 };

/** Boots a bundle of its own, sends more afterwards if there is more, and answers what became of it. */
async function boot(
  source: string,
  options: { launcher?: Uint8Array; more?: string; cutAt?: number; pieceBytes?: number } = {},
): Promise<{ stdout: string; stderr: string; code: number | null }> {
  const { launcher, more = "", cutAt, pieceBytes } = options;
  const parts = new PassThrough({ highWaterMark: 1e9 });
  await sendBoot(parts, { bundle: Buffer.from(source), config, ...(launcher && { launcher }) });
  const bytes = Buffer.concat([parts.read() as Buffer, Buffer.from(more)]).subarray(0, cutAt);
  const child = spawn(process.execPath, ["-e", bootScript], { env: {} });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (text: Buffer) => (stdout += text.toString()));
  child.stderr.on("data", (text: Buffer) => (stderr += text.toString()));
  child.stdin.on("error", () => undefined);
  for (let at = 0; at < bytes.length; at += pieceBytes ?? bytes.length) {
    child.stdin.write(bytes.subarray(at, at + (pieceBytes ?? bytes.length)));
    if (pieceBytes !== undefined) await new Promise(setImmediate);
  }
  child.stdin.end();
  const [code] = (await once(child, "close")) as [number | null];
  return { stdout, stderr, code };
}

const echo = `
exports.start = async function start({ stdin, stdout, rest, launcher, config }) {
  let text = rest.toString();
  for await (const chunk of stdin) text += chunk;
  stdout.write(JSON.stringify({ title: process.title, launcher: launcher.length, config, text }));
}`;

describe("the boot script", () => {
  it("hands configuration, launcher and the rest of the pipe to the bundle", async () => {
    const booted = await boot(echo, {
      launcher: new Uint8Array(100_000),
      more: "first bytes of the channel",
    });
    expect(JSON.parse(booted.stdout)).toEqual({
      title: "handrail-agent",
      launcher: 100_000,
      config,
      text: "first bytes of the channel",
    });
    expect(booted).toMatchObject({ stderr: "", code: 0 });
  });

  it("takes its parts in pieces of any size", async () => {
    const booted = await boot(echo, { launcher: Buffer.alloc(50), more: "漢字", pieceBytes: 7 });
    expect(JSON.parse(booted.stdout)).toMatchObject({ launcher: 50, text: "漢字" });
  });

  it("says that the pipe ended too early", async () => {
    const booted = await boot(echo, { cutAt: 60 });
    expect(booted).toMatchObject({ code: 70, stderr: expect.stringContaining("the pipe ended") as string });
  });

  it("says what is wrong with a bundle", async () => {
    const booted = await boot("exports.start = () => { throw new Error('no luck'); };");
    expect(booted).toMatchObject({ code: 70, stderr: expect.stringContaining("no luck") as string });
  });

  it("refuses bytes that are no boot", async () => {
    const child = spawn(process.execPath, ["-e", bootScript]);
    let stderr = "";
    child.stderr.on("data", (text: Buffer) => (stderr += text.toString()));
    child.stdin.on("error", () => undefined);
    child.stdin.write("GET / HTTP/1.1\r\n\r\n");
    const [code] = (await once(child, "close")) as [number];
    expect([code, stderr]).toEqual([70, expect.stringContaining("above the limit of 1048576")]);
  });
});

describe("sendBoot", () => {
  it("rejects if the pipe closes", async () => {
    const pipe = new PassThrough({ highWaterMark: 1 });
    const sent = sendBoot(pipe, { bundle: Buffer.alloc(1e6), config });
    pipe.destroy();
    await expect(sent).rejects.toThrow("the pipe closed");
  });
});
