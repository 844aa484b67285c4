import { describe, expect, it } from "vitest";
import { edit, editBytes, edited } from "./edit-fixture.js";

describe("an exact edit", () => {
  it("takes the new text literally", () => {
    for (const text of ["$&", "$1", "$$", "$`", "\\n", "&amp;"])
      expect(edited("a b c", edit("b", text))).toEqual({ text: `a ${text} c`, pass: "exact" });
  });

  it("leaves CRLF and trailing space of other lines alone", () => {
    expect(edited("a \r\nb\r\nc\n", edit("b", "x"))).toEqual({ text: "a \r\nx\r\nc\n", pass: "exact" });
  });

  it("in several places is ambiguous, with their lines", () => {
    expect(edited("x\ny\nx\nx", edit("x", "z"))).toEqual({
      kind: "ambiguous",
      pass: "exact",
      lines: [1, 3, 4],
      count: 3,
    });
  });

  it("in places that overlap is ambiguous", () => {
    expect(edited("aaa", edit("aa", "b"))).toMatchObject({ kind: "ambiguous", count: 2 });
  });

  it("replaces all places from the start if asked", () => {
    expect(edited("aaaaa", edit("aa", "b", true))).toEqual({ text: "bba", pass: "exact" });
    expect(edited("x\r\nx\r\n", edit("x", "xx", true))).toEqual({ text: "xx\r\nxx\r\n", pass: "exact" });
  });

  it("that brings LF into a file with CRLF says so", () => {
    const outcome = editBytes(Buffer.from("a\r\nb\r\n"), [edit("b", "b\nc")]);
    expect(outcome).toMatchObject({ text: "a\r\nb\nc\r\n", applied: [{ mixesLineEnds: true, line: 2 }] });
  });
});

describe("edits in a list", () => {
  it("meet what the ones before them left", () => {
    expect(edited("one", edit("one", "two"), edit("two", "three"))).toMatchObject({ text: "three" });
  });

  it("are made all or none", () => {
    expect(editBytes(Buffer.from("one two"), [edit("one", "1"), edit("none", "0")])).toMatchObject({
      problem: { kind: "missing" },
      index: 1,
    });
  });
});

describe("an empty old text", () => {
  it("fills an empty file, after its byte order mark", () => {
    const mark = Buffer.from("\ufeff");
    expect(edited("", edit("", "new"))).toMatchObject({ text: "new" });
    expect(editBytes(mark, [edit("", "new")], { bomBytes: 3 }).bytes?.toString()).toBe("\ufeffnew");
  });

  it("is refused where the file has text", () => {
    expect(edited(" ", edit("", "new"))).toEqual({ kind: "not_empty" });
  });
});

describe("the pass for line endings", () => {
  it("takes the line ends of the place", () => {
    expect(edited("a\r\nb\r\nc\r\n", edit("a\nb", "a\nx\nb"))).toEqual({
      text: "a\r\nx\r\nb\r\nc\r\n",
      pass: "line endings",
    });
    expect(edited("a\nb\n", edit("a\r\nb\r\n", "a\r\nc\r\n"))).toEqual({
      text: "a\nc\n",
      pass: "line endings",
    });
  });

  it("leaves mixed line ends that the edit does not change", () => {
    expect(edited("a\r\nb\nc\r\n", edit("a\nb\nc\n", "a\nb\nd\n"))).toMatchObject({ text: "a\r\nb\nd\r\n" });
  });

  it("must match one place only", () => {
    expect(edited("a\r\nb\r\na\r\nb", edit("a\nb", "x", true))).toMatchObject({
      kind: "ambiguous",
      pass: "line endings",
      lines: [1, 3],
    });
  });
});

describe("the pass for trailing whitespace", () => {
  it("leaves the whitespace of lines that stay", () => {
    expect(edited("a  \nb\t\nc\n", edit("a\nb\nc", "a\nx\nc"))).toEqual({
      text: "a  \nx\t\nc\n",
      pass: "trailing whitespace",
    });
  });

  it("overlooks whitespace that only the searched text has, at the end of a line only", () => {
    expect(edited("foo\nbar\n", edit("foo \nbar ", "foo\nbaz"))).toMatchObject({ text: "foo\nbaz\n" });
    expect(edited("foobar\n", edit("foo ", "x"))).toMatchObject({ kind: "missing" });
  });
});

describe("the pass for indentation", () => {
  const cases: [name: string, file: string, old: string, by: string, after: string][] = [
    [
      "a block that stands deeper",
      "{\n    a\n      bb\n}\n",
      "a\n  bb",
      "a\n  cc\n  dd",
      "{\n    a\n      cc\n      dd\n}\n",
    ],
    [
      "a block that stands less deep",
      "aa {\n  b\n}\n",
      "    aa {\n      b\n    }",
      "    aa {\n    }",
      "aa {\n}\n",
    ],
    [
      "tabs for spaces",
      "\tif x:\n\t\ta = 1\n\tb = 2\n",
      "if x:\n    a = 1",
      "if x:\n    a = 9",
      "\tif x:\n\t\ta = 9\n\tb = 2\n",
    ],
    [
      "two spaces for four",
      "if x:\n  a = 1\n",
      "if x:\n    a = 1\n",
      "if x:\n    if y:\n        a = 1\n",
      "if x:\n  if y:\n    a = 1\n",
    ],
    ["CRLF too", "\taa\r\n\t\tbb\r\n", "aa\n  bb", "aa\n  cc\n  dd", "\taa\r\n\t\tcc\r\n\t\tdd\r\n"],
    ["blank lines inside", "\taa\n\n\tbb\n", "aa\n\nbb", "aa\n\ncc", "\taa\n\n\tcc\n"],
  ];
  for (const [name, file, old, by, after] of cases)
    it(`re-indents ${name}`, () => {
      expect(edited(file, edit(old, by))).toEqual({ text: after, pass: "indentation" });
    });

  const refused: [name: string, file: string, old: string, by: string][] = [
    ["lines that differ from one another", "aa\n   bb\n", "  aa\n  bb", "  aa"],
    ["a new level that the file's unit does not tell", "\taa\n\tbb\n", "aa\nbb", "aa\n    cc"],
    ["a line that would stand left of the margin", "aa\nbb\n", "  aa\n  bb", "aa\n  bb"],
    ["a lone brace", "x {\n  y\n}\n", "    }", "    };"],
  ];
  for (const [name, file, old, by] of refused)
    it(`does not guess at ${name}`, () => {
      expect(edited(file, edit(old, by))).toMatchObject({ kind: "missing" });
    });

  it("is ambiguous where two blocks fit", () => {
    expect(edited("\taa\n\tbb\n\t\taa\n\t\tbb\n", edit("  aa\n  bb", "  cc"))).toMatchObject({
      kind: "ambiguous",
      pass: "indentation",
      lines: [1, 3],
    });
  });
});

describe("the pass for quotes and dashes", () => {
  it("leaves the typography of what stays", () => {
    expect(edited("say “hello” – it’s\n", edit('say "hello" - it\'s', 'say "hallo" - it\'s'))).toEqual({
      text: "say “hallo” – it’s\n",
      pass: "quotes and dashes",
    });
  });

  it("can change the quotes themselves", () => {
    expect(edited("a “b” c", edit('"b"', "'b'"))).toMatchObject({ text: "a 'b' c" });
  });
});

describe("text that is not there", () => {
  it("is answered with the nearest place", () => {
    const file = "one\nfunction alpha() {\n  return 1;\n}\nfunction beta() {\n  return 2;\n}\n";
    expect(edited(file, edit("function beta() {\n  return 3;\n}", "x"))).toEqual({
      kind: "missing",
      nearest: { firstLine: 5, lines: ["function beta() {", "  return 2;", "}"] },
      exactOnly: false,
    });
    expect(edited(file, edit("function betta() {", "x"))).toMatchObject({
      nearest: { firstLine: 5, lines: ["function beta() {"] },
    });
    expect(edited(file, edit("zzzzzz", "x"))).toMatchObject({ nearest: undefined });
  });

  it("is told in less than 2 s in a file of 8 MiB, and exactly only", () => {
    const file = "some line of text here\n".repeat(380_000);
    const startedAt = performance.now();
    expect(edited(file, edit("some line\nthat is not there", "x"))).toMatchObject({ exactOnly: true });
    expect(performance.now() - startedAt).toBeLessThan(2000);
  });

  it("is told in less than 2 s where every line begins to match", () => {
    const file = "\taa\n".repeat(200_000);
    const old = `${"aa\n".repeat(20_000)}bb\n`;
    const startedAt = performance.now();
    expect(edited(file, edit(old, "x"))).toMatchObject({ kind: "missing" });
    expect(performance.now() - startedAt).toBeLessThan(2000);
  });
});

describe("a file that is not UTF-8", () => {
  it("is edited byte for byte where the text is ASCII", () => {
    const latin1 = Buffer.from("port=80\nname=Andr\xe9\n", "latin1");
    expect(editBytes(latin1, [edit("port=80", "port=81")]).bytes).toEqual(
      Buffer.from("port=81\nname=Andr\xe9\n", "latin1"),
    );
  });

  it("takes nothing but ASCII, because its charset is a guess", () => {
    const latin1 = Buffer.from("name=Andr\xe9\n", "latin1");
    expect(editBytes(latin1, [edit("name", "näme")])).toMatchObject({
      problem: { kind: "inexpressible", field: "new_string" },
    });
    expect(editBytes(latin1, [edit("André", "Andre")])).toMatchObject({
      problem: { kind: "inexpressible", field: "old_string" },
    });
  });

  it("keeps stray bytes between UTF-8", () => {
    const mixed = Buffer.concat([
      Buffer.from("größe äöü\n"),
      Buffer.from([0xff, 0x0a]),
      Buffer.from("k=1\n"),
    ]);
    const after = editBytes(mixed, [edit("größe", "Länge"), edit("k=1", "k=2")]).bytes;
    const expected = [Buffer.from("Länge äöü\n"), Buffer.from([0xff, 0x0a]), Buffer.from("k=2\n")];
    expect(after).toEqual(Buffer.concat(expected));
  });

  it("is not edited in the middle of a character of two bytes", () => {
    const line = [0x83, 0x5c, 0x83, 0x74, 0x83, 0x67, 0x82, 0xcc, 0x93, 0xfa, 0x96, 0x7b, 0x8c, 0xea, 0x0a];
    const data = Buffer.from(Array.from({ length: 20 }, () => line).flat());
    expect(editBytes(data, [edit("\\", "/", true)])).toMatchObject({ problem: { kind: "missing" } });
    const path = Buffer.concat([data, Buffer.from("a\\b\n")]);
    expect(editBytes(path, [edit("\\", "/")]).bytes).toEqual(Buffer.concat([data, Buffer.from("a/b\n")]));
  });

  for (const layout of ["utf16le", "utf16be"] as const)
    it(`stays ${layout}, with its byte order mark and a stray byte at its end`, () => {
      const bytes = (text: string) => {
        const little = Buffer.from(`\ufeff${text}`, "utf16le");
        return Buffer.concat([layout === "utf16le" ? little : little.swap16(), Buffer.from([0x41])]);
      };
      const outcome = editBytes(bytes("hi ü\r\n"), [edit("hi", "hö 😀")], { layout, bomBytes: 2 });
      expect(outcome.bytes).toEqual(bytes("hö 😀 ü\r\n"));
    });
});
