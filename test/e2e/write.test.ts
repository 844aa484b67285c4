import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ChangeKind, Outcome } from "../../gen/handrail/v1/result_pb.js";
import { SANDBOX_KINDS, startTestService } from "../support/service.js";
import type { TestService } from "../support/service.js";

for (const kind of SANDBOX_KINDS) {
  describe(`write on ${kind}`, () => {
    let service: TestService;
    const write = (path: string, content: string) => service.run("write", { path, content });
    const shell = async (command: string) => (await service.bash(command)).stdout.toString();

    beforeAll(async () => {
      service = await startTestService(kind);
    });
    afterAll(() => service.close());

    it("says created or replaced, with the bytes, and lists the change", async () => {
      const made = await write("src/new.txt", "größe\n");
      expect(made.text).toBe('Created "src/new.txt": 8 bytes.');
      expect(made.result.changes).toMatchObject([
        { path: "/workspace/src/new.txt", kind: ChangeKind.CREATED },
      ]);
      expect([made.result.changesKnown, made.result.changesOmitted]).toEqual([true, 0]);
      const replaced = await write("/workspace/src/new.txt", "x");
      expect(replaced.text).toBe('Replaced "/workspace/src/new.txt": 1 byte, 8 before.');
      expect(replaced.result.changes).toMatchObject([{ kind: ChangeKind.MODIFIED }]);
      expect(JSON.parse(replaced.result.structuredJson)).toEqual({
        kind: "write",
        path: "src/new.txt",
        created: false,
        size_bytes: 1,
        previous_bytes: 8,
        bom_kept: false,
      });
    });

    it("leaves files that commands of the same user can change", async () => {
      await write("mine.sh", "echo one\n");
      expect(await shell("chmod +x mine.sh && echo 'echo two' >> mine.sh && ./mine.sh")).toBe("one\ntwo\n");
      await write("mine.sh", "#!/bin/sh\necho three\n");
      expect(await shell("./mine.sh; stat -c %a mine.sh")).toBe("three\n755\n");
    });

    it("refuses what leads out of the places for files, and names them by code", async () => {
      const code = async (path: string) => (await write(path, "x")).result.error?.code;
      expect([await code("/etc/x"), await code("../x"), await code("/proc/self/x")]).toEqual(
        Array.from({ length: 3 }, () => "write.outside"),
      );
      await shell("mkfifo pipe; ln -s /etc/hostname out; echo x > fixed; chmod 444 fixed");
      expect([await code("pipe"), await code("out"), await code("fixed")]).toEqual([
        "write.not_regular",
        "write.outside",
        "write.permission",
      ]);
    });

    it("reaches the home directory and the one for temporary files", async () => {
      await write("/tmp/t/x", "tmp");
      const home = (await shell("printf %s $HOME")).trim();
      await write(`${home}/.x/y`, "home");
      expect(await shell("cat /tmp/t/x ~/.x/y")).toBe("tmphome");
    });

    it("refuses a lone surrogate and leaves the file as it was", async () => {
      await write("whole", "x");
      const args = '{"path":"whole","content":"a\\ud800"}';
      const { result } = await service.run(
        "write",
        {},
        { request: { input: { case: "argumentsJson", value: args } } },
      );
      expect(result.outcome).toBe(Outcome.TOOL_ERROR);
      expect(await shell("cat whole")).toBe("x");
    });

    it("gives back by read and by cat what was written, byte for byte", async () => {
      const text = fc.string({ unit: "grapheme", maxLength: 300 });
      await fc.assert(
        fc.asyncProperty(text, async (content) => {
          fc.pre(!/\p{Surrogate}/u.test(content));
          await write("any", content);
          const { stdout } = await service.bash("cat any");
          expect(stdout.equals(Buffer.from(content, "utf8"))).toBe(true);
        }),
        { numRuns: 15 },
      );
    });

    it("lets readers see one content or the other, never a part", async () => {
      const contents = ["a", "b"].map((letter) => letter.repeat(300_000));
      const sums = contents.map((content) => createHash("md5").update(content).digest("hex"));
      await write("shared", contents[0] ?? "");
      const watching = service.bash("for i in $(seq 150); do md5sum < shared; done | sort -u");
      for (let round = 0; round < 20; round += 1) {
        await write("shared", contents[round % 2] ?? "");
        await sleep(5);
      }
      const seen = (await watching).stdout.toString().trim().split("\n");
      expect(seen.filter((line) => !sums.includes(line.split(" ")[0] ?? ""))).toEqual([]);
    });

    it("leaves no temporary file behind", async () => {
      expect(await shell("find . /tmp -name '.handrail-*' | wc -l")).toBe("0\n");
    });
  });
}
