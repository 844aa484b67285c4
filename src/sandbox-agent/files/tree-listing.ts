import { lstatSync, opendirSync, readlinkSync } from "node:fs";
import type { Dirent } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { FileKind } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { fileKind } from "./file-kind.js";
import { IgnoreRules } from "./ignore-rules.js";
import { withDirectory } from "./list-directory.js";

/** Most names that are looked at, in all directories together. */
const maxSeen = 200_000;

/** What is listed, and how far. */
export interface TreeOptions {
  /** The directory, held. */
  readonly fd: number;
  /** Its path, without symbolic links. */
  readonly path: string;
  /** The rules of the directories above it. */
  readonly rulesAbove: IgnoreRules | undefined;
  readonly depth: number;
  readonly maxEntries: number;
  readonly hidden: boolean;
  readonly ignored: boolean;
  /** True once the time for the listing is over. */
  readonly isExpired: () => boolean;
  readonly signal: AbortSignal;
}

/** An entry of a listing. */
export interface ListedEntry {
  readonly path: string;
  readonly kind: FileKind;
  readonly sizeBytes: bigint;
  readonly target: string;
  cut: boolean;
}

/** A listing. */
export interface Listing {
  readonly entries: readonly ListedEntry[];
  readonly omitted: number;
  readonly ignored: number;
}

interface Node {
  readonly names: readonly string[];
  readonly entry: ListedEntry | undefined;
  readonly rules: IgnoreRules | undefined;
  readonly children: Node[];
}

/**
 * Lists a directory level by level, so that a limit cuts the deepest entries first, and answers each directory before
 * what is in it. Symbolic links are named, not followed; directories that cannot be read are empty.
 */
export async function listTree(options: TreeOptions): Promise<Listing> {
  const walk = new TreeWalk(options);
  await walk.run();
  return walk.listing();
}

class TreeWalk {
  readonly #options: TreeOptions;
  readonly #top: Node;
  #listed = 0;
  #seen = 0;
  #omitted = 0;
  #ignored = 0;

  constructor(options: TreeOptions) {
    this.#options = options;
    this.#top = { names: [], entry: undefined, rules: options.rulesAbove, children: [] };
  }

  async run(): Promise<void> {
    const queue: Node[] = [this.#top];
    for (const node of queue) {
      const { depth, signal, isExpired, fd } = this.#options;
      const isOver = isExpired() || this.#seen >= maxSeen;
      const mayEnter = node.names.length < depth && !isOver && this.#isOpen(node);
      if (mayEnter) {
        withDirectory(fd, node.names, (held) => this.#read(held, node));
        queue.push(...node.children.filter(({ entry }) => entry?.kind === FileKind.DIRECTORY));
        await setImmediate(undefined, { signal });
      } else if (node.entry !== undefined) {
        node.entry.cut = withDirectory(fd, node.names, hasEntries) ?? false;
      }
    }
  }

  listing(): Listing {
    const entries: ListedEntry[] = [];
    const collect = (node: Node): void => {
      if (node.entry !== undefined) entries.push(node.entry);
      node.children.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)).forEach(collect);
    };
    collect(this.#top);
    return { entries, omitted: this.#omitted, ignored: this.#ignored };
  }

  /** The store of a git repository is named only, unless ignored files are asked for too. */
  #isOpen({ names }: Node): boolean {
    return names.at(-1) !== ".git" || this.#options.ignored;
  }

  #read(held: number, node: Node): void {
    const { path, hidden, ignored, maxEntries } = this.#options;
    const here = [path === "/" ? "" : path, ...node.names].join("/");
    const rules = ignored ? undefined : IgnoreRules.read(held, here, node.rules);
    for (const found of this.#names(held)) {
      if (!hidden && found.name.startsWith(".")) continue;
      if (rules?.ignores(`${here}/${found.name}`, found.isDirectory()) === true) {
        this.#ignored += 1;
        if (node.entry !== undefined) node.entry.cut = true;
      } else if (this.#listed >= maxEntries) {
        this.#omitted += 1;
        if (node.entry !== undefined) node.entry.cut = true;
      } else {
        this.#listed += 1;
        const names = [...node.names, found.name];
        node.children.push({ names, entry: entryOf(held, found, names), rules, children: [] });
      }
    }
  }

  #names(held: number): Dirent[] {
    const found: Dirent[] = [];
    try {
      const directory = opendirSync(`/proc/self/fd/${held}`);
      try {
        for (let next = directory.readSync(); next !== null; next = directory.readSync()) {
          found.push(next);
          this.#seen += 1;
          if (this.#seen >= maxSeen) break;
        }
      } finally {
        directory.closeSync();
      }
    } catch {
      return found;
    }
    return found.sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

function nameOf({ names }: Node): string {
  return names.at(-1) ?? "";
}

function hasEntries(fd: number): boolean {
  try {
    const directory = opendirSync(`/proc/self/fd/${fd}`);
    try {
      return directory.readSync() !== null;
    } finally {
      directory.closeSync();
    }
  } catch {
    return false;
  }
}

function entryOf(fd: number, found: Dirent, names: readonly string[]): ListedEntry {
  const kind = fileKind(found);
  const at = `/proc/self/fd/${fd}/${found.name}`;
  const entry = { path: names.join("/"), kind, sizeBytes: 0n, target: "", cut: false };
  try {
    if (kind === FileKind.FILE) return { ...entry, sizeBytes: lstatSync(at, { bigint: true }).size };
    if (kind === FileKind.LINK) return { ...entry, target: readlinkSync(at) };
  } catch {
    return entry;
  }
  return entry;
}
