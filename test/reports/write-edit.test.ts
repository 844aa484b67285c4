import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { Outcome } from "../../gen/handrail/v1/result_pb.js";
import { bodyOf, onEachSandbox } from "./on-each-sandbox.js";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** What `printf` of a shell makes of octal escapes, as bytes. */
const bytesOf = (text: string): Buffer => Buffer.from(text, "latin1");

onEachSandbox("write and edit", ({ service, bash, read }) => {
  const write = (path: string, content: string) => service().run("write", { path, content });
  const edit = (path: string, old: string, by: string) =>
    service().run("edit", { path, old_string: old, new_string: by });
  const put = async (path: string, bytes: Buffer) => {
    const { result } = await bash(`base64 -d > '${path}' <<'END'\n${bytes.toString("base64")}\nEND`);
    expect(result.outcome).toBe(Outcome.OK);
  };
  const bytesIn = async (path: string) => (await bash(`cat '${path}'`)).stdout;

  it("writes and edits texts of up to 8 MB whole (B035)", async () => {
    const line = "the quick brown fox jumps over the lazy dog, größer\n";
    for (const size of [90_000, 128 * 1024, 1_000_000, 8_000_000]) {
      const text = line.repeat(Math.ceil(size / line.length)).slice(0, size - 100);
      expect((await write("large", text)).result.outcome).toBe(Outcome.OK);
      expect((await bash("sha256sum < large")).stdout.toString()).toBe(`${sha256(text)}  -\n`);
    }
    await write("grows", "<here>\n");
    const added = "x".repeat(200_000);
    await edit("grows", "<here>", added);
    expect((await bash("sha256sum < grows")).stdout.toString()).toBe(`${sha256(`${added}\n`)}  -\n`);
  });

  it("writes 20 files of 5 MB at once, each to its end (B155)", async () => {
    const text = "0123456789abcde\n".repeat(312_500);
    const paths = Array.from({ length: 20 }, (_, index) => `five-${index}`);
    const outcomes = await Promise.all(paths.map((path) => write(path, text)));
    expect(outcomes.filter(({ result }) => result.outcome !== Outcome.OK)).toEqual([]);
    const { stdout } = await bash(`cat ${paths.join(" ")} | wc -c; cat | wc -c; rm ${paths.join(" ")}`);
    expect(stdout.toString()).toBe("100000000\n0\n");
  });

  it("decodes no entities in what it writes, edits or runs (B111)", async () => {
    const text = "<p>&lt;b&gt; &amp;amp; &#39; &nbsp;</p>";
    await write("entities.html", text);
    expect((await bytesIn("entities.html")).toString()).toBe(text);
    await edit("entities.html", "&lt;b&gt;", "&quot;");
    expect((await bytesIn("entities.html")).toString()).toBe("<p>&quot; &amp;amp; &#39; &nbsp;</p>");
    expect((await bash('echo "&gt; x"')).stdout.toString()).toBe("&gt; x\n");
  });

  it("writes and reads by both names of a directory that is a symbolic link (B151)", async () => {
    await bash("mkdir data; ln -s data w");
    expect((await write("/workspace/w/a.txt", "by link\n")).result.outcome).toBe(Outcome.OK);
    expect((await write("data/a.txt", "by name\n")).result.outcome).toBe(Outcome.OK);
    expect(bodyOf(await read("w/a.txt"))).toBe("     1\tby name");
    expect((await edit("w/a.txt", "name", "edit")).result.outcome).toBe(Outcome.OK);
    expect((await bash("cat data/a.txt; readlink w")).stdout.toString()).toBe("by edit\ndata\n");
  });

  it("adds and takes no line end (B171)", async () => {
    const sizes = [];
    for (const text of ["a", "a\n", "", "\n\n"]) {
      await write("end", text);
      sizes.push((await bash("stat -c %s end")).stdout.toString().trim());
    }
    expect(sizes).toEqual(["1", "2", "0", "2"]);
  });

  it("takes no trailing slash from a path, and no directory for a file (B177)", async () => {
    await write("t", "plain");
    const codes = [];
    for (const path of ["t/", "/workspace", "t/child", "new/"])
      codes.push((await write(path, "x")).result.error?.code);
    expect(codes).toEqual([
      "write.not_directory",
      "write.is_directory",
      "write.not_directory",
      "write.invalid_path",
    ]);
    expect((await bash("cat t; ls -d new")).stdout.toString()).toBe("plain");
  });

  it("changes only the match in a file that is not UTF-8 (B009)", async () => {
    const files: [name: string, before: Buffer, after: Buffer][] = [
      ["latin1", bytesOf("port=80\nname=Andr\xe9\n"), bytesOf("port=81\nname=Andr\xe9\n")],
      ["gbk", bytesOf("port=80\nname=\xd6\xd0\n"), bytesOf("port=81\nname=\xd6\xd0\n")],
      [
        "utf16",
        Buffer.from("\ufeffport=80\nname=André\n", "utf16le"),
        Buffer.from("\ufeffport=81\nname=André\n", "utf16le"),
      ],
    ];
    for (const [name, before, after] of files) {
      await put(name, before);
      expect((await edit(name, "port=80", "port=81")).result.outcome).toBe(Outcome.OK);
      expect(await bytesIn(name)).toEqual(after);
      const { result } = await edit(name, "Andr\u00e9", "中");
      if (name !== "utf16") {
        expect(result.error?.code).toBe("edit.encoding");
        expect(await bytesIn(name)).toEqual(after);
      }
    }
  });

  it("keeps a byte order mark exactly once, and matches behind it (B015)", async () => {
    await put("bom.cs", Buffer.from("\ufeffusing A;\nB\n"));
    await edit("bom.cs", "using A;", "using Z;");
    expect(await bytesIn("bom.cs")).toEqual(Buffer.from("\ufeffusing Z;\nB\n"));
    expect(bodyOf(await read("bom.cs"))).toBe("     1\tusing Z;\n     2\tB");
    for (const content of ["new\n", "\ufeffnew\n"]) {
      await write("bom.cs", content);
      expect(await bytesIn("bom.cs")).toEqual(Buffer.from("\ufeffnew\n"));
    }
  });

  it("edits no block that only begins and ends alike (B065)", async () => {
    const text = "function f(a) {\n  return a+1\n}\nfunction g(a) {\n  return a+2\n}\n";
    await write("blocks.js", text);
    const { result } = await edit("blocks.js", "function f(a) {\n  return WRONG\n}", "gone");
    expect(result.error?.code).toBe("edit.text_not_found");
    expect(result.error?.message).toContain("     1\tfunction f(a) {\n     2\t  return a+1");
    expect((await bytesIn("blocks.js")).toString()).toBe(text);
  });

  it("keeps tabs and line ends where it overlooks indentation (B083)", async () => {
    await write("tabs.py", "\tif x:\n\t\ta = 1\n\tb = 2\n");
    const { text } = await edit("tabs.py", "if x:\n    a = 1", "if x:\n    a = 9");
    expect(text).toContain("line 1, matched with differences in indentation overlooked");
    expect((await bytesIn("tabs.py")).toString()).toBe("\tif x:\n\t\ta = 9\n\tb = 2\n");
  });

  it("changes one byte in a file with escape characters and accents (B179)", async () => {
    const before = 'echo "\u001b[1mGrüße\u001b[0m"\nk=1\n';
    await put("esc.sh", Buffer.from(before));
    await edit("esc.sh", "k=1", "k=2");
    expect((await bytesIn("esc.sh")).toString()).toBe(before.replace("k=1", "k=2"));
  });

  it("edits UTF-16 in its encoding (B149)", async () => {
    await put("u16.txt", bytesOf("\xff\xfeh\0i\0\n\0"));
    await edit("u16.txt", "hi", "ho");
    expect(await bytesIn("u16.txt")).toEqual(bytesOf("\xff\xfeh\0o\0\n\0"));
  });
});
