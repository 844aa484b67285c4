import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import ignore from "ignore";
import type { Ignore } from "ignore";
import { isBelow } from "./absolute-path.js";

/** Later names win where rules of one directory contradict each other. */
const ruleFiles = [".gitignore", ".ignore"];
const maxRuleBytes = 256 * 1024;

/** The ignore rules that hold in a directory: its own, then those of the directories above it. */
export class IgnoreRules {
  readonly #base: string;
  readonly #rules: Ignore | undefined;
  readonly #above: IgnoreRules | undefined;

  private constructor(base: string, rules: Ignore | undefined, above: IgnoreRules | undefined) {
    this.#base = base;
    this.#rules = rules;
    this.#above = above;
  }

  /** Reads the rules of a held directory. `path` is where it is, without symbolic links. */
  static read(fd: number, path: string, above?: IgnoreRules): IgnoreRules {
    const texts = ruleFiles.flatMap((name) => readRules(fd, name) ?? []);
    if (texts.length === 0 && above !== undefined) return above;
    return new IgnoreRules(path, texts.length === 0 ? undefined : ignore().add(texts.join("\n")), above);
  }

  /** True if the rules leave out what is at that path. The nearest rule that says anything decides. */
  ignores(path: string, isDirectory: boolean): boolean {
    const relative = isBelow(path, this.#base) ? path.slice(this.#base.length).replace(/^\//, "") : "";
    if (this.#rules !== undefined && relative !== "") {
      const { ignored, unignored } = this.#rules.test(isDirectory ? `${relative}/` : relative);
      if (ignored || unignored) return ignored;
    }
    return this.#above?.ignores(path, isDirectory) ?? false;
  }
}

/** The text of a rule file; nothing if there is none that can be read, or it is larger than rules are. */
function readRules(directoryFd: number, name: string): string | undefined {
  let fd: number;
  try {
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    fd = openSync(`/proc/self/fd/${directoryFd}/${name}`, flags);
  } catch {
    return undefined;
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile() || stat.size > maxRuleBytes) return undefined;
    const buffer = Buffer.alloc(stat.size);
    return buffer.subarray(0, readSync(fd, buffer, 0, buffer.length, 0)).toString();
  } finally {
    closeSync(fd);
  }
}
