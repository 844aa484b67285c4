const PARAMETERS = "[0-?]{0,256}[ -/]{0,16}";
const STRING_BODY = "[^\\x07\\x1b\\x9c\\n]{0,4096}";

const SEQUENCE = [
  `\\[${PARAMETERS}[@-~]`,
  `[\\]PX^_]${STRING_BODY}(?:\\x07|\\x9c|\\x1b\\\\)`,
  "[ -/]{1,16}[0-~]",
  "[0-OQ-WYZ\\\\`a-~]",
].join("|");

const SEQUENCE_START = [`\\[${PARAMETERS}`, `[\\]PX^_]${STRING_BODY}\\x1b?`, "[ -/]{0,16}"].join("|");

const SHOWN = [
  "[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f]",
  "[\\u202a-\\u202e\\u2066-\\u2069]",
  "\\udb40[\\udc00-\\udc7f]",
  "[\\ud800-\\udbff](?![\\udc00-\\udfff])",
  "(?<![\\ud800-\\udbff])[\\udc00-\\udfff]",
].join("|");

const WHOLE = new RegExp(`(?<sequence>\\x1b(?:${SEQUENCE}))|${SHOWN}`, "g");
const OPEN_END = new RegExp(`(?:\\x1b(?:${SEQUENCE_START})|[\\ud800-\\udbff])$`);
const SPLIT = new RegExp(`(?<sequence>\\x1b(?:${SEQUENCE}))|(?<openEnd>${OPEN_END.source})|${SHOWN}`, "g");

/** What every match of SPLIT has at least one of: a text without it need not be searched, which takes much longer. */
const SUSPICIOUS = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]/;

/**
 * Strips terminal escape sequences from a stream of text and makes what else is invisible visible: C0 and C1 controls
 * but newline, tab and carriage return as `\x00`, bidi overrides and isolates and tag characters as `\u{202E}`, lone
 * surrogates as U+FFFD. A sequence is CSI with at most 256 parameter characters, OSC, DCS, SOS, PM or APC with at most
 * 4,096 characters on one line and a terminator, or a short one. What is none shows its escape character. Takes time
 * linear in the text and holds back at most one unfinished sequence.
 */
export class EscapeStripper {
  #openEnd = "";

  /** True if nothing is held back. */
  get isAtRest(): boolean {
    return this.#openEnd === "";
  }

  /** The chunk without sequences, as far as they are complete. */
  push(chunk: string): string {
    const text = this.#openEnd + chunk;
    this.#openEnd = "";
    if (!SUSPICIOUS.test(text)) return text;
    return text.replace(SPLIT, (match: string, sequence?: string, openEnd?: string) => {
      if (sequence !== undefined) return "";
      if (openEnd === undefined) return show(match);
      this.#openEnd = openEnd;
      return "";
    });
  }

  /** Ends the text: an unfinished sequence is shown. */
  flush(): string {
    const text = this.#openEnd;
    this.#openEnd = "";
    return text.replace(WHOLE, (match: string, sequence?: string) =>
      sequence === undefined ? show(match) : "",
    );
  }
}

function show(special: string): string {
  const code = special.codePointAt(0) ?? 0;
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, "0")}`;
  if (code >= 0xd800 && code <= 0xdfff) return "\ufffd";
  return `\\u{${code.toString(16).toUpperCase()}}`;
}
