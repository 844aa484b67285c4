import { expect, it } from "vitest";
import { Outcome } from "../../gen/handrail/v1/result_pb.js";
import type { Outcome as Ran } from "../support/service.js";
import { bodyOf, onEachSandbox } from "./on-each-sandbox.js";

interface Found {
  readonly path: string;
  readonly line: number;
  readonly text: string;
  readonly binary?: boolean;
}

function matchesOf({ result }: Ran): Found[] {
  return (JSON.parse(result.structuredJson) as { matches: Found[] }).matches;
}

onEachSandbox("search", ({ bash, service }) => {
  const grep = (args: Record<string, unknown>) => service().run("grep", args);
  const glob = (args: Record<string, unknown>) => service().run("glob", args);

  it.concurrent("keeps its matches though a directory may not be read, and says so (B059)", async () => {
    await bash("mkdir -p r/ok r/bad; echo answer42 > r/ok/a; chmod 000 r/bad");
    const ran = await grep({ pattern: "answer42", path: "r" });
    expect(ran.result.outcome).toBe(Outcome.OK);
    expect(matchesOf(ran).map(({ path }) => path)).toEqual(["r/ok/a"]);
    expect(ran.text).toContain("r/bad: Permission denied");
  });

  it.concurrent("does not call a directory that may not be read one without matches (B059)", async () => {
    await bash("mkdir -p s/bad; chmod 000 s/bad");
    for (const mode of ["content", "files", "count"]) {
      const { result } = await grep({ pattern: "answer42", path: "s/bad", mode });
      expect([result.outcome, result.error?.code]).toEqual([Outcome.TOOL_ERROR, "grep.unreadable"]);
      expect(result.error?.message).toContain("Permission denied");
    }
  });

  it.concurrent("says that a path does not exist (B089)", async () => {
    await bash("mkdir -p src/utils; ln -s /nowhere broken");
    for (const path of ["src/utlis", "/nope", "broken"]) {
      const { result } = await grep({ pattern: "x", path });
      expect([path, result.outcome, result.error?.code]).toEqual([
        path,
        Outcome.TOOL_ERROR,
        "grep.not_found",
      ]);
    }
    expect((await grep({ pattern: "x", path: "src/utlis" })).result.error?.hint).toContain("src/utils");
  });

  it.concurrent("shows a window around a match in a very long line (B103)", async () => {
    await bash(
      `mkdir -p long; python3 -c "print('a'*400000+'NEEDLE'+'b'*400000)" > long/min.js 2>/dev/null ||
       node -e "console.log('a'.repeat(400000)+'NEEDLE'+'b'.repeat(400000))" > long/min.js
       node -e "console.log('é'.repeat(5000)+'NEEDLE'+'ü'.repeat(5000))" > long/umlauts.txt`,
    );
    const ran = await grep({ pattern: "NEEDLE", path: "long" });
    const [ascii, umlauts] = matchesOf(ran);
    expect(ascii?.text).toMatch(/^\[399880 bytes omitted\] …a{120}NEEDLEb{274}… \[399726 bytes omitted\]$/);
    expect(umlauts?.text).toMatch(/^\[9880 bytes omitted\] …é{60}NEEDLEü{137}… \[9726 bytes omitted\]$/);
    expect(ran.text).not.toContain("\ufffd");
  });

  it.concurrent("stays within its text budget with 300 files of one long line (B103)", async () => {
    await bash(
      `mkdir -p many; node -e "
        const text = 'a'.repeat(400000) + 'NEEDLE' + 'b'.repeat(400000) + '\\n';
        for (let i = 100; i < 400; i += 1) require('fs').writeFileSync('many/' + i + '.js', text);"`,
    );
    const ran = await grep({ pattern: "NEEDLE", path: "many" });
    expect(Buffer.byteLength(ran.text)).toBeLessThan(32 * 1024);
    expect(ran.result.truncation).toBeUndefined();
    const next = Number(/go on with offset (\d+)/.exec(ran.text)?.[1]);
    expect(next).toBe(matchesOf(ran).length);
    const [following] = matchesOf(await grep({ pattern: "NEEDLE", path: "many", offset: next, limit: 1 }));
    expect(following?.path).toBe(`many/${100 + next}.js`);
  });

  it.concurrent("finds lines and names that are not UTF-8 (B129)", async () => {
    await bash(
      `mkdir -p odd; cd odd; printf 'caf\\351 needle\\n' > l1.txt; echo needle > "$(printf 'n\\351.txt')"; echo needle > ok.txt`,
    );
    const ran = await grep({ pattern: "needle", path: "odd" });
    expect(matchesOf(ran).map(({ path, text }) => [path, text])).toEqual([
      ["odd/l1.txt", "caf\ufffd needle"],
      ["odd/n\ufffd.txt", "needle"],
      ["odd/ok.txt", "needle"],
    ]);
    expect(ran.text).toContain("$'odd/n\\xe9.txt'");
    const files = await glob({ pattern: "*", path: "odd" });
    expect(bodyOf(files).split("\n").sort()).toEqual(["$'odd/n\\xe9.txt'", "odd/l1.txt", "odd/ok.txt"]);
  });

  it.concurrent("searches hidden directories and says what ignore rules leave out (B133)", async () => {
    await bash(
      `mkdir -p hid/.github/workflows; cd hid; echo deploy_key > .github/workflows/a.yml
       echo deploy_key > ignored.log; echo "*.log" > .gitignore; git init -q .`,
    );
    const ran = await grep({ pattern: "deploy_key", path: "hid" });
    expect(matchesOf(ran).map(({ path }) => path)).toEqual(["hid/.github/workflows/a.yml"]);
    expect(ran.text).toContain("left out by ignore rules: hid/ignored.log");
    const all = await grep({ pattern: "deploy_key", path: "hid", ignored: true });
    expect(matchesOf(all).map(({ path }) => path)).toEqual([
      "hid/.github/workflows/a.yml",
      "hid/ignored.log",
    ]);
  });

  it.concurrent("searches a path that is named though it is hidden or ignored (B133)", async () => {
    await bash(
      `mkdir -p named/.github named/out/deep; cd named; printf '*.log\\n/out/\\n**/out/**\\n' > .gitignore
       echo deploy_key > .github/a.yml; echo deploy_key > x.log; echo deploy_key > out/deep/b.js; git init -q .`,
    );
    for (const [path, file] of [
      ["named/.github", "named/.github/a.yml"],
      ["named/x.log", "named/x.log"],
      ["named/out", "named/out/deep/b.js"],
    ] as const) {
      for (const mode of ["content", "files", "count"]) {
        const ran = await grep({ pattern: "deploy_key", path, mode });
        expect([mode, matchesOf(ran).map((match) => match.path)]).toEqual([mode, [file]]);
      }
    }
  });

  it.concurrent("gets path and line right whatever characters a name has (B163)", async () => {
    await bash(
      `mkdir -p sep; cd sep; echo hit > 'a:12:b.txt'; echo hit > $'nl\\nname.txt'; printf 'one\\nhit\\n' > ./-v`,
    );
    const ran = await grep({ pattern: "hit", path: "sep", context: 1 });
    expect(matchesOf(ran).map(({ path, line }) => [path, line])).toEqual([
      ["sep/-v", 2],
      ["sep/a:12:b.txt", 1],
      ["sep/nl\nname.txt", 1],
    ]);
    expect(bodyOf(ran).split("\n")).toEqual([
      "sep/-v",
      "1-one",
      "2:hit",
      "",
      "sep/a:12:b.txt",
      "1:hit",
      "",
      "$'sep/nl\\nname.txt'",
      "1:hit",
      "[3 matches in 3 files]",
    ]);
    for (const mode of ["files", "count"]) {
      const listed = await grep({ pattern: "hit", path: "sep", mode });
      expect(matchesOf(listed).map(({ path }) => path)).toEqual([
        "sep/-v",
        "sep/a:12:b.txt",
        "sep/nl\nname.txt",
      ]);
    }
  });

  it.concurrent("reports a binary match without its bytes, and finds text in UTF-16 (B175)", async () => {
    await bash(
      `mkdir -p bin; cd bin; printf 'needle\\0\\001\\002x' > b.dat; printf '\\377\\376n\\0e\\0e\\0d\\0l\\0e\\0' > u.txt`,
    );
    const ran = await grep({ pattern: "needle", path: "bin" });
    expect(matchesOf(ran)).toEqual([
      { path: "bin/b.dat", binary: true },
      { path: "bin/u.txt", line: 1, column: 1, text: "needle" },
    ]);
    expect(bodyOf(ran).split("\n").slice(0, 4)).toEqual([
      "bin/b.dat: binary file matches",
      "",
      "bin/u.txt",
      "1:needle",
    ]);
  });

  it.concurrent("refuses to search a pipe and passes over one in a directory (B027)", async () => {
    await bash("mkdir -p pipes; mkfifo pipes/p; echo a > pipes/f");
    for (const path of ["pipes/p", "/dev/zero"]) {
      const { result, elapsedMs } = await grep({ pattern: "a", path });
      expect([path, result.error?.code]).toEqual([path, "grep.not_regular"]);
      expect(elapsedMs).toBeLessThan(2000);
    }
    const ran = await grep({ pattern: "a", path: "pipes" });
    expect(matchesOf(ran).map(({ path }) => path)).toEqual(["pipes/f"]);
    expect(ran.elapsedMs).toBeLessThan(2000);
  });

  it.concurrent("meets each file once where symbolic links make loops (B125)", async () => {
    await bash("mkdir -p loop/d/e; cd loop; ln -s .. d/e/up; ln -s . d/self; ln -s nm nm; echo x > d/f.txt");
    for (const pattern of ["**/f.txt", "**"]) {
      const ran = await glob({ pattern, path: "loop" });
      expect(bodyOf(ran)).toBe("loop/d/f.txt");
      expect(ran.elapsedMs).toBeLessThan(2000);
    }
    const ran = await grep({ pattern: "x", path: "loop" });
    expect(matchesOf(ran).map(({ path }) => path)).toEqual(["loop/d/f.txt"]);
    expect(ran.text).not.toContain("nm");
  });

  it.concurrent("looks behind a link to a directory that is named, and only then (B167)", async () => {
    await bash("mkdir -p /tmp/real linked; echo words > /tmp/real/x.md; ln -s /tmp/real linked/docs");
    for (const pattern of ["linked/docs/*.md", "linked/docs/**/*.md"]) {
      expect(bodyOf(await glob({ pattern }))).toBe("linked/docs/x.md");
    }
    expect(bodyOf(await glob({ pattern: "**/x.md", path: "linked" }))).toContain("No files match");
    const ran = await grep({ pattern: "words", path: "linked/docs" });
    expect(matchesOf(ran).map(({ path }) => path)).toEqual(["linked/docs/x.md"]);
    const { tools } = await service().tools.listTools({ context: { projectId: service().project } });
    expect(tools.find(({ name }) => name === "glob")?.description).toContain(
      "Symbolic links are followed only",
    );
  });
});
