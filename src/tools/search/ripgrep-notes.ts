/** Most bytes of one line of standard error that are looked at. */
const MAX_LINE_CHARACTERS = 4096;
const MAX_NAMED = 5;
const MAX_FAULT_LINES = 20;

const IGNORED = /^(?:rg: )?DEBUG\|.*?: ignoring (?<path>.*): Ignore\(IgnoreMatch\((?:Gitignore|Glob)/;
const SYSTEM_ERROR =
  /^(?:rg: )?(?<path>.*?): (?:IO error for operation on .*?: )?(?<reason>[^:]*) \(os error \d+\)$/;

/** What ripgrep said beside its findings, in bounded memory. */
export class RipgrepNotes {
  /** Files and directories that ignore rules left out; a directory counts once. */
  ignoredCount = 0;
  /** The first of them. */
  readonly ignored: string[] = [];
  /** Places that could not be read. */
  unreadableCount = 0;
  /** The first of them, each with the reason. */
  readonly unreadable: string[] = [];
  readonly #fault: string[] = [];

  /** Hears one line of standard error. */
  hear(line: string): void {
    const text = line.slice(0, MAX_LINE_CHARACTERS);
    const ignored = IGNORED.exec(text)?.groups?.["path"];
    if (ignored !== undefined) {
      this.ignoredCount += 1;
      if (this.ignored.length < MAX_NAMED) this.ignored.push(withoutDot(ignored));
      return;
    }
    if (/^(?:rg: )?(?:DEBUG|TRACE|INFO)\|/.test(text)) return;
    const groups = SYSTEM_ERROR.exec(text)?.groups;
    if (groups !== undefined) {
      this.unreadableCount += 1;
      const place = withoutDot(groups["path"] ?? "").slice(0, 300);
      if (this.unreadable.length < MAX_NAMED) this.unreadable.push(`${place}: ${groups["reason"] ?? ""}`);
      return;
    }
    if (this.#fault.length < MAX_FAULT_LINES) this.#fault.push(text.slice(0, 300));
  }

  /** What it said that is about neither: why it did not search, if it did not. */
  get fault(): string {
    return this.#fault.join("\n").replace(/^rg: /, "").trim();
  }

  /** Sentences for the model about what was left out or could not be read. */
  notices(options: { ignoredHint: string }): string[] {
    return [
      ...(this.ignoredCount === 0
        ? []
        : [`left out by ignore rules: ${listed(this.ignored, this.ignoredCount)}; ${options.ignoredHint}`]),
      ...(this.unreadableCount === 0
        ? []
        : [`not searched: ${listed(this.unreadable, this.unreadableCount)}`]),
    ];
  }
}

function listed(named: readonly string[], count: number): string {
  const more = count - named.length;
  return named.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

function withoutDot(path: string): string {
  return path.startsWith("./") && path.length > 2 ? path.slice(2) : path;
}
