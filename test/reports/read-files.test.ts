import { expect, it } from "vitest";
import { Outcome } from "../../gen/handrail/v1/result_pb.js";
import { bodyOf, codeOf, onEachSandbox } from "./on-each-sandbox.js";

const REPLACEMENT = "\u{fffd}";
const GO_ON = /… \[(\d+) more bytes in this line; go on with offset 1, line_offset (\d+)\]/;

onEachSandbox("read", ({ bash, read }) => {
  it.concurrent("refuses at once what is no regular file (B027)", async () => {
    await bash("mkfifo /workspace/p; ln -s /dev/zero z");
    for (const path of ["/workspace/p", "/dev/zero", "/dev/tty", "/proc/kmsg", "z"]) {
      const { result, elapsedMs } = await read(path);
      expect(elapsedMs).toBeLessThan(2000);
      expect(result.outcome).toBe(Outcome.TOOL_ERROR);
      expect(result.error?.code).toMatch(/^read\.(not_regular|outside|permission|not_found)$/);
    }
    for (const path of ["/workspace/p", "z"]) {
      expect((await read(path)).text).toMatch(/not a regular file|leads out/);
    }
  });

  it.concurrent("shows a part of one huge line and the way to the next part (B031)", async () => {
    const program = `print('['+','.join(['"v%d"'%i for i in range(900000)])+']',end='')`;
    await bash(`cat > one.py <<'EOT'\n${program}\nEOT\npython3 one.py > one.json`);
    let shown = "";
    for (const args of [{}, { offset: 1, limit: 1 }]) {
      const { text, result } = await read("one.json", args);
      expect(result.outcome).toBe(Outcome.OK);
      expect(text).toContain('["v0","v1",');
      expect(Buffer.byteLength(text)).toBeLessThan(32_768);
      shown = text;
    }
    const [, left = "", next = ""] = GO_ON.exec(shown) ?? [];
    const size = Number(bodyOf(await bash("wc -c < one.json")));
    expect(Number(left) + Number(next)).toBe(size);
    const further = (await read("one.json", { offset: 1, line_offset: Number(next) })).text;
    expect(Number(GO_ON.exec(further)?.[2])).toBeGreaterThan(Number(next) + 10_000);
    const here = bodyOf(await bash(`tail -c +${Number(next) + 1} one.json | head -c 40`));
    expect(further).toContain(here);
  });

  it.concurrent("reaches the end of a huge line in steps that never repeat (B031)", async () => {
    await bash(`python3 -c "print('x' * 100000 + 'END')" > steps.txt`);
    let next = 0;
    let steps = 0;
    for (let text = ""; !text.includes("END"); steps += 1) {
      text = (await read("steps.txt", { offset: 1, line_offset: next })).text;
      const after = Number(GO_ON.exec(text)?.[2] ?? next + 1);
      expect(after).toBeGreaterThan(next);
      next = after;
    }
    expect(steps).toBeLessThan(6);
  });

  it.concurrent(
    "reads one line of a file of 6 GB at once, and says that a line is past its end (B073)",
    async () => {
      await bash('printf "first\\n" > big; truncate -s 6G big');
      const first = await read("big", { limit: 1 });
      expect(first.elapsedMs).toBeLessThan(1000);
      expect(first.text).toMatch(/^ *1\tfirst$/m);
      const far = await read("big", { offset: 999_999_999 });
      expect(far.elapsedMs).toBeLessThan(15_000);
      expect(far.result.error?.code).toMatch(/^read\.(past_end|scan_stopped)$/);
      expect(codeOf(await bash("rm big"))).toBe(0);
    },
  );

  it.concurrent("never takes text for binary because a sample ends inside a character (B079)", async () => {
    const edges = [512, 1000, 4096, 8192, 65_536].flatMap((edge) => [-2, -1, 0, 1, 2].map((by) => edge + by));
    const make = edges.map((n) => `${n}`).join(" ");
    await bash(
      `mkdir cjk; for n in ${make}; do { head -c $n /dev/zero | tr '\\0' a; printf '漢字かな%.0s' $(seq 400); } > cjk/$n; done`,
    );
    for (const edge of edges) {
      const start = await read(`cjk/${edge}`);
      const middle = await read(`cjk/${edge}`, { offset: 1, line_offset: Math.max(0, edge - 7) });
      expect([start.result.outcome, middle.result.outcome]).toEqual([Outcome.OK, Outcome.OK]);
      expect(start.text + middle.text).not.toContain(REPLACEMENT);
      expect(middle.text).toContain("aaaaaaa漢字かな漢字");
    }
  });

  it.concurrent("decodes UTF-16 and says so (B149)", async () => {
    await bash("printf '\\377\\376h\\0i\\0\\n\\0' > u16.txt");
    const { text } = await read("u16.txt");
    expect(text).toMatch(/^ *1\thi$/m);
    expect(text).toContain("the file is in utf-16le");
    expect(text).not.toMatch(/\0|\\x00/);
  });

  it.concurrent("shows a file in an old encoding and says that it may be wrong (B149)", async () => {
    await bash("printf 'caf\\351\\n' > latin.txt");
    const { text, result } = await read("latin.txt");
    expect(text).toMatch(/^ *1\tcaf(é|\u{fffd})$/mu);
    expect(text).toMatch(/guess|not UTF-8/);
    expect(JSON.parse(result.structuredJson)).toMatchObject({ lossy: true });
  });
});
