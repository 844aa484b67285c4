import { base64Forms } from "./base64-forms.js";
import { jsonForms } from "./json-forms.js";
import { percentForms } from "./percent-forms.js";

/** The forms of a value that are masked. */
export interface SecretForms {
  /** Forms that stand in a text as they are. */
  readonly exact: readonly string[];
  /** Forms in an encoding that programs break into lines: base64 and hex. */
  readonly wrapped: readonly string[];
}

const MIN_CHARACTERS = 4;
const MIN_ENCODED_CHARACTERS = 6;
const MIN_LINE_CHARACTERS = 16;
const PEM_BOUNDARY = /^-----(?:BEGIN|END) [A-Z0-9 ]+-----$/;

/**
 * Gives the forms of a value: the value, with and without white space around it and with either kind of line end;
 * each line of at least 16 characters if it has several, the first and last line of a PEM block excepted; and all of
 * these, trimmed, in base64, hex, percent-encoding and JSON.
 *
 * A value of less than 4 characters without the white space around it has no forms, and one of less than 6 has no
 * encoded forms: they occur by chance in ordinary text, which masks would destroy without hiding anything.
 */
export function secretForms(value: string): SecretForms {
  const trimmed = value.trim();
  const characters = countCharacters(trimmed);
  if (characters < MIN_CHARACTERS) return { exact: [], wrapped: [] };
  const plain = [value, trimmed].flatMap(withEitherLineEnd);
  if (characters < MIN_ENCODED_CHARACTERS) return { exact: unique(plain), wrapped: [] };
  const encoded = [trimmed, ...longLines(trimmed)];
  return {
    exact: unique([...plain, ...encoded, ...encoded.flatMap(jsonForms), ...encoded.flatMap(percentFormsOf)]),
    wrapped: unique([...encoded, value].flatMap(base64AndHexForms)),
  };
}

function withEitherLineEnd(text: string): string[] {
  const withFeeds = text.replaceAll("\r\n", "\n");
  return [text, withFeeds, withFeeds.replaceAll("\n", "\r\n")];
}

function longLines(text: string): string[] {
  const lines = text.split(/\r\n|\r|\n/).map((line) => line.trim());
  if (lines.length === 1) return [];
  return lines.filter((line) => countCharacters(line) >= MIN_LINE_CHARACTERS && !PEM_BOUNDARY.test(line));
}

function percentFormsOf(text: string): string[] {
  return percentForms(Buffer.from(text));
}

function base64AndHexForms(text: string): string[] {
  const bytes = Buffer.from(text);
  const hex = bytes.toString("hex");
  return [...base64Forms(bytes), hex, hex.toUpperCase()];
}

function countCharacters(text: string): number {
  return Array.from(text).length;
}

function unique(forms: readonly string[]): string[] {
  return [...new Set(forms)];
}
