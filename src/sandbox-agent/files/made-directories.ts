import { closeSync, constants, mkdirSync, openSync, rmdirSync } from "node:fs";
import { systemCode } from "./system-failure.js";

/** Opens a name without any right on its content. Node has no name for it. */
const O_PATH = 0x200000;

/** Directories on the way to a file, each held: those that did not exist were made and can be taken back. */
export class MadeDirectories {
  readonly #held: { readonly fd: number; readonly name: string; readonly made: boolean }[] = [];
  readonly #top: number;

  /** Takes over the descriptor of the directory that exists. Throws errors of the operating system. */
  constructor(top: number, names: readonly string[]) {
    this.#top = top;
    try {
      for (const name of names) this.#enter(name);
    } catch (error) {
      this.undo();
      this.close();
      throw error;
    }
  }

  /** The innermost directory. */
  get fd(): number {
    return this.#held.at(-1)?.fd ?? this.#top;
  }

  /** Removes the directories that were made, as far as they are empty. */
  undo(): void {
    for (let index = this.#held.length - 1; index >= 0; index -= 1) {
      const { name, made } = this.#held[index] ?? { name: "", made: false };
      if (!made) return;
      const parent = this.#held[index - 1]?.fd ?? this.#top;
      try {
        rmdirSync(`/proc/self/fd/${parent}/${name}`);
      } catch {
        return;
      }
    }
  }

  /** Closes the descriptors. */
  close(): void {
    for (const { fd } of this.#held.splice(0)) closeSync(fd);
    closeSync(this.#top);
  }

  #enter(name: string): void {
    const path = `/proc/self/fd/${this.fd}/${name}`;
    let made = true;
    try {
      mkdirSync(path);
    } catch (error) {
      if (systemCode(error) !== "EEXIST") throw error;
      made = false;
    }
    const fd = openSync(path, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    this.#held.push({ fd, name, made });
  }
}
