import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openEditable } from "../../src/text/editable-text.js";
import { edit, editBytes } from "./edit-fixture.js";

const anyBytes = fc.uint8Array({ maxLength: 200 });
const pieces = fc.constantFrom(...'ab \t\r\n“"é漢😀'.split(/(?:)/u), "\r\n", "\ufeff");
const anyText = fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join(""));
const ascii = fc.string({ unit: fc.constantFrom("a", "b", "=", "1", "\n"), minLength: 1, maxLength: 6 });
const layouts = fc.constantFrom("bytes" as const, "utf16le" as const, "utf16be" as const);

describe("any file and any edit", () => {
  it("opened and encoded again gives the same bytes", () => {
    fc.assert(
      fc.property(anyBytes, layouts, (bytes, layout) => {
        const file = openEditable({ data: bytes, layout, bomBytes: 0 });
        expect(Buffer.from(file.encode(file.text)).equals(bytes)).toBe(true);
      }),
    );
  });

  it("changes only the match, whatever bytes are around it", () => {
    fc.assert(
      fc.property(anyBytes, anyBytes, ascii, ascii, (before, after, oldText, newText) => {
        const data = Buffer.concat([before, Buffer.from(`\n\n${oldText}\n\n`), after]);
        const outcome = editBytes(data, [edit(oldText, newText)]);
        if ("problem" in outcome) {
          expect(["ambiguous", "missing", "no_change"]).toContain(outcome.problem.kind);
          return;
        }
        const [applied] = outcome.applied;
        fc.pre(applied?.pass === "exact");
        const at = data.indexOf(oldText);
        expect(outcome.bytes).toEqual(
          Buffer.concat([
            data.subarray(0, at),
            Buffer.from(newText),
            data.subarray(at + Buffer.byteLength(oldText)),
          ]),
        );
      }),
    );
  });

  it("leaves what stands before and after the place, also where differences are overlooked", () => {
    fc.assert(
      fc.property(anyText, anyText, anyText, anyText, (before, middle, after, newText) => {
        const text = `${before}\n<start>\n${middle}\n<end>\n${after}`;
        const old = `<start>\n${middle.replaceAll("\r\n", "\n").replaceAll("“", '"')}\n<end>`;
        const outcome = editBytes(Buffer.from(text), [edit(old, `<start>\n${newText}\n<end>`)]);
        if ("problem" in outcome) return;
        expect(outcome.text.startsWith(`${before}\n<start>\n`)).toBe(true);
        expect(outcome.text.endsWith(`\n<end>\n${after}`)).toBe(true);
      }),
    );
  });

  it("replaces every place as splitting and joining does", () => {
    fc.assert(
      fc.property(anyText, ascii, anyText, (text, oldText, newText) => {
        fc.pre(text.includes(oldText) && oldText !== newText);
        const outcome = editBytes(Buffer.from(text), [edit(oldText, newText, true)]);
        if ("problem" in outcome) expect(outcome.problem.kind).toBe("no_change");
        else expect(outcome.text).toBe(text.split(oldText).join(newText));
      }),
    );
  });
});
