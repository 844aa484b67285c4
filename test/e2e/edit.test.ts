import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ChangeKind, Outcome } from "../../gen/handrail/v1/result_pb.js";
import { SANDBOX_KINDS, startTestService } from "../support/service.js";
import type { Outcome as CallOutcome, TestService } from "../support/service.js";

for (const kind of SANDBOX_KINDS) {
  describe(`edit on ${kind}`, () => {
    let service: TestService;
    type Run = (tool: string, args: Record<string, unknown>) => Promise<CallOutcome>;
    const inSession = (sessionId: string): Run => {
      return (tool, args) => service.run(tool, args, { request: { context: { sessionId } } });
    };
    const newSession = () => inSession(`s-${randomUUID()}`);
    const edit = (path: string, old: string, by: string, more = {}) =>
      service.run("edit", { path, old_string: old, new_string: by, ...more });
    const put = (path: string, content: string) => service.run("write", { path, content });
    const content = async (path: string) => (await service.bash(`cat '${path}'`)).stdout.toString();

    beforeAll(async () => {
      service = await startTestService(kind);
      await service.bash("true");
    });
    afterAll(() => service.close());

    it("says where and how it matched, with a diff, and lists the change", async () => {
      await put("a.ts", "one\ntwo\nthree\n");
      const { text, result } = await edit("a.ts", "two", "zwei");
      expect(text).toContain(
        'Edited "a.ts": line 2, matched exactly.\n--- a.ts\n+++ a.ts\n@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three',
      );
      expect(result.changes).toMatchObject([{ path: "/workspace/a.ts", kind: ChangeKind.MODIFIED }]);
      expect(JSON.parse(result.structuredJson)).toMatchObject({
        path: "a.ts",
        created: false,
        edits: [{ pass: "exact", line: 2, count: 1 }],
        encoding: "utf-8",
      });
    });

    it("names the difference that it overlooked", async () => {
      await service.bash("printf 'if x:\\r\\n\\ty = 1\\r\\n' > crlf.py");
      const { text } = await edit("crlf.py", "if x:\n\ty = 1", "if x:\n\ty = 2\n\tz = 3");
      expect(text).toContain("matched with differences in line endings overlooked");
      expect(await content("crlf.py")).toBe("if x:\r\n\ty = 2\r\n\tz = 3\r\n");
    });

    it("makes all edits of a list or none", async () => {
      await put("list", "a b c\n");
      const edits = [
        { old_string: "a", new_string: "1" },
        { old_string: "c", new_string: "$&" },
      ];
      const { text } = await service.run("edit", { path: "list", edits });
      expect(text).toContain('Edited "list" by 2 edits:\n1. line 1, matched exactly\n2. line 1');
      expect(await content("list")).toBe("1 b $&\n");
      const bad = await service.run("edit", {
        path: "list",
        edits: [
          { old_string: "b", new_string: "2" },
          { old_string: "none at all", new_string: "3" },
        ],
      });
      expect(bad.result.error?.code).toBe("edit.text_not_found");
      expect(bad.text).toContain("of edit 2");
      expect(await content("list")).toBe("1 b $&\n");
    });

    it("tells the lines of an ambiguous text, and replaces all if asked", async () => {
      await put("many", "x\ny\nx\n");
      const { result } = await edit("many", "x", "z");
      expect(result.error).toMatchObject({
        code: "edit.ambiguous",
        message: 'old_string is in "many" in 2 places: lines 1, 3.',
      });
      expect((await edit("many", "x", "z", { replace_all: true })).text).toContain("line 1 and 1 more place");
      expect(await content("many")).toBe("z\ny\nz\n");
    });

    it("fills an empty or missing file by an empty old_string, and no other", async () => {
      expect((await edit("d/fresh", "", "new\n")).text).toContain('Created "d/fresh"');
      expect(await content("d/fresh")).toBe("new\n");
      expect((await edit("d/fresh", "", "again")).result.error?.code).toBe("edit.not_empty");
      expect((await edit("nowhere", "x", "y")).result.error?.code).toBe("edit.not_found");
    });

    it("refuses binary files and files above 16 MiB, with the limit", async () => {
      await service.bash(
        "head -c 100 /dev/zero > zeros; truncate -s 17M large; yes a | head -c 17825792 > large",
      );
      expect((await edit("zeros", "a", "b")).result.error?.code).toBe("edit.binary");
      const { error } = (await edit("large", "a", "b")).result;
      expect(error?.code).toBe("edit.too_large");
      expect(error?.message).toContain("16777216");
    });

    it("refuses a file that changed since the session read it, until it is read again", async () => {
      const run = newSession();
      await put("guarded", "one\n");
      await run("read", { path: "guarded" });
      await service.bash("echo two > guarded");
      const args = { path: "guarded", old_string: "two", new_string: "three" };
      const refused = await run("edit", args);
      expect(refused.result.error).toMatchObject({
        code: "edit.changed_since_read",
        message: '"guarded" has changed since this session last read it; it was not edited.',
      });
      expect(await content("guarded")).toBe("two\n");
      await run("read", { path: "guarded" });
      expect((await run("edit", args)).result.outcome).toBe(Outcome.OK);
    });

    it("goes on after the session's own writes and edits, by any name of the file", async () => {
      const run = newSession();
      await run("write", { path: "own", content: "1" });
      await service.bash("ln -s own alias");
      for (const [path, n] of [
        ["own", 1],
        ["/workspace/own", 2],
        ["alias", 3],
      ] as const) {
        const { result } = await run("edit", { path, old_string: `${n}`, new_string: `${n + 1}` });
        expect(result.outcome).toBe(Outcome.OK);
      }
      expect(await content("own")).toBe("4");
    });

    it("edits a file that the session never read, without a word", async () => {
      await put("unread", "1");
      const { result } = await newSession()("edit", { path: "unread", old_string: "1", new_string: "2" });
      expect([result.outcome, result.notices]).toEqual([Outcome.OK, []]);
    });

    it("says without a session that nothing was checked", async () => {
      await put("free", "1");
      const { result } = await edit("free", "1", "2");
      expect(result.notices).toEqual([
        "without a session it was not checked whether the file had changed since it was read",
      ]);
    });

    it("loses none of 12 edits that are made at once", async () => {
      const names = Array.from({ length: 12 }, (_, index) => `<${index}>`);
      await put("shared", `${names.join("\n")}\n`);
      const results = await Promise.all(names.map((name) => edit("shared", name, `${name} done`)));
      const after = (await content("shared")).split("\n");
      const landed = results.map(({ result }) => result.outcome === Outcome.OK);
      expect(after.slice(0, 12)).toEqual(names.map((name, index) => (landed[index] ? `${name} done` : name)));
      expect(landed.filter(Boolean).length).toBeGreaterThanOrEqual(2);
      for (const { result } of results) expect(["", "edit.conflict"]).toContain(result.error?.code ?? "");
    });

    it("lands both of two edits of one session that are made at once", async () => {
      const run = newSession();
      await run("write", { path: "pair", content: "a\nb\n" });
      const both = await Promise.all(
        ["a", "b"].map((old) =>
          run("edit", { path: "pair", old_string: old, new_string: old.toUpperCase() }),
        ),
      );
      expect(both.map(({ result }) => result.outcome)).toEqual([Outcome.OK, Outcome.OK]);
      expect(await content("pair")).toBe("A\nB\n");
    });

    it("shows what is nearest if the text is not there", async () => {
      await put("near", "function alpha() {\n  return 1;\n}\n");
      const { result } = await edit("near", "function alpha() {\n  return 2;\n}", "x");
      expect(result.error?.message).toContain("The nearest place is:\n     1\tfunction alpha() {");
      const numbered = await edit("near", "     1\tfunction alpha() {", "x");
      expect(numbered.result.error?.hint).toContain("without the line numbers");
    });
  });
}
