import { expect, it } from "vitest";
import { Outcome } from "../../gen/handrail/v1/result_pb.js";
import { bodyOf, codeOf, onEachSandbox } from "./on-each-sandbox.js";

const REPLACEMENT = "\u{fffd}";

onEachSandbox("text of bash", ({ bash }) => {
  it.concurrent("joins a character that was written in two pieces (B039)", async () => {
    expect(bodyOf(await bash("printf 'a\\342\\202'; sleep 0.4; printf '\\254b\\n'"))).toBe("a€b\n");
  });

  it.concurrent("splits no character between chunks of a long output (B039)", async () => {
    const ran = await bash(`python3 -c "print('漢'*100000)"`);
    expect(ran.stdout.equals(Buffer.from(`${"漢".repeat(100_000)}\n`))).toBe(true);
    expect(ran.text).not.toContain(REPLACEMENT);
    expect(bodyOf(ran)).toMatch(/^漢+… \[truncated, \d+ more bytes\]漢+\n$/);
    expect(Number(ran.result.truncation?.originalBytes)).toBe(300_001);
  });

  it.concurrent("decodes each stream by itself where both are written in turn (B039)", async () => {
    const ran = await bash("printf '\\360\\237' >&1; printf 'err' >&2; sleep 0.2; printf '\\230\\200\\n'");
    expect([ran.stdout.toString(), ran.stderr.toString()]).toEqual(["😀\n", "err"]);
    expect(bodyOf(ran)).toBe("err😀\n");
  });

  it.concurrent(
    "shows half a character at the end of the output as one replacement character (B087)",
    async () => {
      expect(bodyOf(await bash("printf 'ok\\303'"))).toBe(`ok${REPLACEMENT}`);
    },
  );

  it.concurrent(
    "shows bytes that are no text as replacement characters and keeps them raw in the stream (B087)",
    async () => {
      const random = await bash("head -c 4096 /dev/urandom");
      expect(random.result.outcome).toBe(Outcome.OK);
      expect(random.stdout.byteLength).toBe(4096);
      expect(random.text).toContain(REPLACEMENT);
      const surrogate = await bash("printf '\\355\\240\\200'");
      expect(bodyOf(surrogate)).toBe(REPLACEMENT.repeat(3));
    },
  );

  it.concurrent("cuts nothing off behind a NUL (B087)", async () => {
    const ran = await bash("printf 'x\\0y\\n'");
    expect(ran.stdout.toString()).toBe("x\0y\n");
    expect(bodyOf(ran)).toBe("x\\x00y\n");
  });

  it.concurrent("leaves bytes that look like a frame header as they are (B143)", async () => {
    const header = await bash("printf '\\001\\000\\000\\000\\000\\000\\000\\005hello'");
    expect([...header.stdout]).toEqual([1, 0, 0, 0, 0, 0, 0, 5, ...Buffer.from("hello")]);
    const stderr = await bash("printf '\\002\\000\\000\\000\\377\\377\\377\\377'; echo ok");
    expect([...stderr.stdout]).toEqual([2, 0, 0, 0, 255, 255, 255, 255, ...Buffer.from("ok\n")]);
    expect(stderr.stderr.byteLength).toBe(0);
  });

  it.concurrent("keeps quotes, spaces and dollar signs of the command as they are (B141)", async () => {
    const python = await bash(`python3 -c "print('two  spaces', '\\$HOME')"`);
    expect(bodyOf(python)).toBe("two  spaces $HOME\n");
    expect(bodyOf(await bash(`printf "%s|" "a b" "" "c*"`))).toBe("a b||c*|");
  });

  it.concurrent("does not decode HTML entities of a command (B111)", async () => {
    expect(bodyOf(await bash('echo "&gt; x"'))).toBe("&gt; x\n");
  });

  it.concurrent("ends a program that waits for standard input (B155)", async () => {
    const ran = await bash("cat | wc -c", { timeout: 5000 });
    expect([bodyOf(ran), codeOf(ran)]).toEqual(["0\n", 0]);
  });
});
