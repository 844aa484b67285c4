const MAX_STEPS = 16;
const EXTENDS = /^[\p{Mark}\p{Emoji_Modifier}\u200d]$/u;
const JOINER = "\u200d";

/** UTF-8 bytes around a cut that cutHead and cutTail look at beyond the bytes they keep. */
export const CUT_CONTEXT_BYTES = 8;

/**
 * The longest start of a text with at most `maxBytes` UTF-8 bytes that ends between characters. Prefers an end between
 * graphemes if one is at most 16 characters away and something stays.
 */
export function cutHead(text: string, maxBytes: number): string {
  let at = 0;
  let bytes = 0;
  for (;;) {
    const character = characterAt(text, at);
    const next = bytes + utf8Length(character);
    if (character === "" || next > maxBytes) break;
    bytes = next;
    at += character.length;
  }
  let end = at;
  for (let step = 0; step < MAX_STEPS && end > 0; step += 1) {
    if (!joins(text, end)) return text.slice(0, end);
    end -= characterBefore(text, end).length;
  }
  return text.slice(0, at);
}

/** The longest end of a text with at most `maxBytes` UTF-8 bytes that starts between characters. See cutHead. */
export function cutTail(text: string, maxBytes: number): string {
  let at = text.length;
  let bytes = 0;
  for (;;) {
    const character = characterBefore(text, at);
    const next = bytes + utf8Length(character);
    if (character === "" || next > maxBytes) break;
    bytes = next;
    at -= character.length;
  }
  let start = at;
  for (let step = 0; step < MAX_STEPS && start < text.length; step += 1) {
    if (!joins(text, start)) return text.slice(start);
    start += characterAt(text, start).length;
  }
  return text.slice(at);
}

/** True if the characters on both sides of `at` are one grapheme. */
function joins(text: string, at: number): boolean {
  const after = characterAt(text, at);
  const before = characterBefore(text, at);
  if (after === "" || before === "") return false;
  return before === JOINER || EXTENDS.test(after);
}

function characterAt(text: string, at: number): string {
  return isPair(text, at) ? text.slice(at, at + 2) : text.charAt(at);
}

function characterBefore(text: string, at: number): string {
  return isPair(text, at - 2) ? text.slice(at - 2, at) : text.charAt(at - 1);
}

function isPair(text: string, at: number): boolean {
  return at >= 0 && (text.codePointAt(at) ?? 0) > 0xffff;
}

function utf8Length(character: string): number {
  if (character.length === 2) return 4;
  const code = character.charCodeAt(0);
  return code < 0x80 ? 1 : code < 0x800 ? 2 : 3;
}
