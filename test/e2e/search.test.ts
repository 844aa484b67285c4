import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Mode } from "../../gen/handrail/v1/context_pb.js";
import { Clock, Outcome } from "../../gen/handrail/v1/result_pb.js";
import { Keep } from "../../gen/handrail/v1/tool_service_pb.js";
import { SANDBOX_KINDS, startTestService } from "../support/service.js";
import type { Outcome as Ran, TestService } from "../support/service.js";

const SETUP = `
mkdir -p src/deep docs node_modules/lib .config lines dash empty/sub
printf 'import { a } from "a";\\nconst Total = 1;\\nlet total = 2;\\n' > src/a.ts
printf 'const total = 3;\\r\\n' > src/deep/b.js
printf 'total\\n' > docs/readme.md
printf 'total\\n' > node_modules/lib/index.js
printf 'total\\n' > .config/hidden.ts
printf 'node_modules\\n*.log\\n' > .gitignore
printf 'total\\n' > app.log
seq 1 300 > lines/numbers.txt
printf -- '-v --files\\n(a|b\\n' > dash/x.txt
for i in 1 2 3; do echo $i > src/old$i.txt; touch -d "2020-01-0$i" src/old$i.txt; done
`;

const structured = ({ result }: Ran): unknown => JSON.parse(result.structuredJson);
const matchesOf = (ran: Ran) =>
  (structured(ran) as { matches: { path: string; line: number; text: string; count: number }[] }).matches;
const pathsOf = (ran: Ran) => matchesOf(ran).map(({ path }) => path);

for (const kind of SANDBOX_KINDS) {
  describe(`search on ${kind}`, () => {
    let service: TestService;
    const grep = (args: Record<string, unknown>) => service.run("grep", args);
    const glob = (args: Record<string, unknown>) => service.run("glob", args);
    const listFiles = (args: Record<string, unknown>) =>
      service.run("list_files", args, { request: { context: { mode: Mode.PLAN } } });

    beforeAll(async () => {
      service = await startTestService(kind);
      await service.bash(SETUP);
    });
    afterAll(() => service.close());

    it("groups matches by file with line numbers", async () => {
      expect((await grep({ pattern: "total", path: "src" })).text).toBe(
        "src/a.ts\n3:let total = 2;\n\nsrc/deep/b.js\n1:const total = 3;\n[2 matches in 2 files]",
      );
    });

    it("takes upper and lower case as equal on request", async () => {
      const ran = await grep({ pattern: "TOTAL", path: "src/a.ts", ignore_case: true });
      expect(matchesOf(ran).map(({ line }) => line)).toEqual([2, 3]);
    });

    it("shows lines around matches and marks gaps", async () => {
      const ran = await grep({ pattern: "^(50|60)$", path: "lines", before: 1, after: 1 });
      expect(ran.text).toContain("49-49\n50:50\n51-51\n--\n59-59\n60:60\n61-61");
    });

    it("takes a pattern that begins with a dash", async () => {
      for (const pattern of ["-v", "--files"]) {
        expect(pathsOf(await grep({ pattern, path: "dash" }))).toEqual(["dash/x.txt"]);
      }
    });

    it("says what is wrong with a regular expression, and finds the same as plain text", async () => {
      const { result } = await grep({ pattern: "(a|b" });
      expect(result.error?.code).toBe("grep.invalid_pattern");
      expect(result.error?.message).toContain("unclosed group");
      expect(result.error?.hint).toContain("literal");
      expect(pathsOf(await grep({ pattern: "(a|b", literal: true }))).toEqual(["dash/x.txt"]);
    });

    it("matches over lines on request", async () => {
      const ran = await grep({ pattern: '"a";.*let', path: "src", multiline: true });
      expect(ran.text).toContain('1:import { a } from "a";\n2:const Total = 1;\n3:let total = 2;');
      expect((await grep({ pattern: "a\\nb" })).result.error?.hint).toContain("multiline");
    });

    it("matches the end of a line that ends in CR LF", async () => {
      expect(pathsOf(await grep({ pattern: "3;$", path: "src" }))).toEqual(["src/deep/b.js"]);
    });

    it("keeps to files of a pattern or type, without what ignore rules leave out", async () => {
      expect(pathsOf(await grep({ pattern: "total", glob: "*.{js,log}" }))).toEqual(["src/deep/b.js"]);
      expect(pathsOf(await grep({ pattern: "total", glob: "src/**" }))).toEqual([
        "src/a.ts",
        "src/deep/b.js",
      ]);
      expect(pathsOf(await grep({ pattern: "total", glob: "!*.ts" }))).toEqual([
        "docs/readme.md",
        "src/deep/b.js",
      ]);
      expect(pathsOf(await grep({ pattern: "total", type: "js" }))).toEqual(["src/deep/b.js"]);
    });

    it("says that a type is not known", async () => {
      expect((await grep({ pattern: "x", type: "klingon" })).result.error?.code).toBe("grep.unknown_type");
    });

    it("names the files with matches", async () => {
      expect((await grep({ pattern: "total", mode: "files", glob: "*.{ts,md}" })).text).toMatch(
        /^\.config\/hidden\.ts\ndocs\/readme\.md\nsrc\/a\.ts\n\[3 files with matches\]/,
      );
    });

    it("counts matching lines", async () => {
      const ran = await grep({ pattern: "1", path: "lines", mode: "count" });
      expect(ran.text).toContain("lines/numbers.txt: 138\n[138 matching lines in 1 file]");
      expect(matchesOf(ran)).toEqual([{ path: "lines/numbers.txt", count: 138 }]);
    });

    it("goes on where a limited result ended", async () => {
      const seen: number[] = [];
      for (let offset: number | null = 0; offset !== null;) {
        const ran: Ran = await grep({ pattern: "0$", path: "lines", limit: 7, offset });
        seen.push(...matchesOf(ran).map(({ line }) => line));
        offset = (structured(ran) as { next_offset: number | null }).next_offset;
      }
      expect(seen).toEqual(Array.from({ length: 30 }, (_, at) => (at + 1) * 10));
    });

    it("stops ripgrep once it has enough", async () => {
      await service.bash("yes needle | head -c 200000000 > big.txt");
      const first = await grep({ pattern: "needle", path: "big.txt", limit: 3 });
      expect(matchesOf(first).map(({ line }) => line)).toEqual([1, 2, 3]);
      expect(first.elapsedMs).toBeLessThan(1500);
      await service.bash("rm big.txt");
    });

    it("keeps what it had found when its time is over", async () => {
      await service.bash("mkdir slow; echo needle > slow/a; truncate -s 40G slow/b");
      const { result, text } = await service.run(
        "grep",
        { pattern: "needle", path: "slow" },
        {
          request: {
            limits: {
              $typeName: "handrail.v1.CallLimits",
              runMs: 700,
              queueMs: 0,
              idleMs: 0,
              maxTextBytes: 0n,
              keep: Keep.UNSPECIFIED,
            },
          },
        },
      );
      expect([result.outcome, result.exit?.clock]).toEqual([Outcome.TIMED_OUT, Clock.RUN]);
      expect(text).toContain("slow/a\n1:needle");
      await service.bash("rm -r slow");
    });

    it("finds files by pattern, newest first", async () => {
      expect((await glob({ pattern: "src/old*.txt" })).text).toBe("src/old3.txt\nsrc/old2.txt\nsrc/old1.txt");
    });

    it("takes absolute patterns, braces and sets", async () => {
      expect((await glob({ pattern: "/workspace/src/old[1-2].{txt,md}" })).text).toBe(
        "src/old2.txt\nsrc/old1.txt",
      );
      expect((await glob({ pattern: "/etc/host[s]" })).text).toMatch(/^\/etc\/hosts(\n|$)/);
    });

    it("shows the newest files up to a limit and says how many there are", async () => {
      const { text } = await glob({ pattern: "src/old*", limit: 2 });
      expect(text).toBe(
        "src/old3.txt\nsrc/old2.txt\n[the newest 2 of 3 files; narrow the pattern or the path, or raise limit]",
      );
    });

    it("takes hidden names where they are named or asked for", async () => {
      const { text } = await glob({ pattern: "*.ts" });
      expect(text).toContain("src/a.ts\n[1 more file matches with a hidden name");
      expect((await glob({ pattern: ".config/*.ts" })).text).toContain(".config/hidden.ts");
      expect((await glob({ pattern: "hidden.*", hidden: true })).text).toContain(".config/hidden.ts");
    });

    it("says what was looked at when nothing matches, and that ignored files exist", async () => {
      const { result, text } = await glob({ pattern: "*.log" });
      expect(result.outcome).toBe(Outcome.OK);
      expect(text).toContain('No files match "*.log" in the workspace');
      expect(text).toContain("left out by ignore rules: ");
      expect((await glob({ pattern: "*.log", ignored: true })).text).toBe("app.log");
    });

    it("finds an ignored file or directory that is named", async () => {
      expect((await glob({ pattern: "app.log" })).text).toBe("app.log");
      expect((await glob({ pattern: "node_modules/**/*.js" })).text).toBe("node_modules/lib/index.js");
    });

    it("says that a pattern matches a directory", async () => {
      for (const pattern of ["src/deep", "src/d*p", "deep/"]) {
        expect((await glob({ pattern })).text).toContain('"src/deep/**"');
      }
    });

    it("says that the place to search does not exist", async () => {
      expect((await glob({ pattern: "scr/*.ts" })).result.error?.code).toBe("glob.not_found");
      expect((await glob({ pattern: "*", path: "src/a.ts" })).result.error?.code).toBe("glob.not_directory");
    });

    it("lists a directory as a tree in plan mode", async () => {
      const { text } = await listFiles({ path: "src" });
      expect(text).toMatch(
        /^src\/\n {2}a\.ts {2}55 B\n {2}deep\/\n {4}b\.js {2}18 B\n {2}old1\.txt {2}2 B\n/,
      );
    });

    it("says what a listing leaves out", async () => {
      const { text } = await listFiles({ depth: 1, limit: 4 });
      expect(text).toMatch(/\[\d+ more entries; /);
      expect(text).toContain("left out by ignore rules");
      expect((await listFiles({ path: "nowhere" })).result.error?.code).toBe("list_files.not_found");
    });

    it("has list_files in plan mode only", async () => {
      const { result } = await service.run("list_files", {});
      expect(result.outcome).toBe(Outcome.DENIED);
    });
  });
}
