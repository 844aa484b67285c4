import { closeSync, constants, fstatSync, openSync, readlinkSync } from "node:fs";
import type { BigIntStats } from "node:fs";
import { ErrorKind } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { agentFailure } from "../../sandbox/channel/agent-failure.js";
import type { ReadRoots } from "./read-roots.js";
import { systemCode, systemFailure } from "./system-failure.js";

/** Opens a name without any right on its content. Node has no name for it. */
const O_PATH = 0x200000;
const maxLinks = 40;
const maxDepth = 512;

/** Where a path has led. */
export interface Place {
  /** Held with O_PATH: names the file, gives no access to its content. */
  readonly fd: number;
  /** Absolute, without symbolic links. */
  readonly path: string;
  readonly stat: BigIntStats;
}

/** A name that is not in its directory. */
export interface MissingName {
  /** The directory that was searched. */
  readonly directory: Place;
  readonly name: string;
  /** The rest of the path after the name. */
  readonly rest: readonly string[];
  /** The symbolic link that led to the name, if one did. */
  readonly link: { readonly path: string; readonly target: string } | undefined;
}

/** Options of walkPath. */
export interface WalkOptions {
  /** The path as the caller gave it, for messages. */
  readonly shownPath: string;
  readonly roots: ReadRoots;
  /** Makes the failure for a name that does not exist. */
  readonly onMissing: (missing: MissingName) => Error;
}

/**
 * Follows an absolute path one name at a time, each from the held directory before it, and symbolic links by hand. Each
 * place on the way is checked against the roots, so a link that is swapped meanwhile leads nowhere else. The caller
 * closes the descriptor. Throws AgentFailure.
 */
export function walkPath(path: string, options: WalkOptions): Place {
  const walk = new Walk(options);
  try {
    return walk.run(path);
  } finally {
    walk.close();
  }
}

/** A file of a directory that is held. */
export interface Entry {
  readonly directory: Place;
  readonly name: string;
  readonly place: Place;
}

/**
 * Follows a path as `walkPath` does, to something that has a name in a directory, and holds the directory too. A place
 * without a name, such as one that `..` leads to, is refused with IS_DIRECTORY. The caller closes both descriptors.
 */
export function walkToEntry(path: string, options: WalkOptions): Entry {
  const walk = new Walk(options);
  try {
    return walk.runToEntry(path);
  } finally {
    walk.close();
  }
}

class Walk {
  readonly #options: WalkOptions;
  readonly #places: Place[] = [];
  #pending: string[] = [];
  #links = 0;
  #link: MissingName["link"];

  constructor(options: WalkOptions) {
    this.#options = options;
  }

  run(path: string): Place {
    this.#jump(path);
    for (let name = this.#pending.pop(); name !== undefined; name = this.#pending.pop()) this.#step(name);
    const last = this.#places.pop();
    if (last === undefined) throw new Error("a walk has no place");
    if (!this.#options.roots.allows(last.path)) {
      closeSync(last.fd);
      throw this.#outside();
    }
    return last;
  }

  runToEntry(path: string): Entry {
    const place = this.run(path);
    const directory = this.#places.pop();
    const name = place.path.slice(place.path.lastIndexOf("/") + 1);
    if (directory !== undefined && !place.stat.isDirectory()) return { directory, name, place };
    closeSync(place.fd);
    if (directory !== undefined) closeSync(directory.fd);
    throw agentFailure(ErrorKind.IS_DIRECTORY, `${this.#options.shownPath} is a directory`);
  }

  close(): void {
    for (const { fd } of this.#places) closeSync(fd);
  }

  get #here(): Place {
    const here = this.#places.at(-1);
    if (here === undefined) throw new Error("a walk has no place");
    return here;
  }

  #jump(absolute: string): void {
    this.close();
    this.#places.length = 0;
    this.#enter("/", openSync("/", O_PATH | constants.O_DIRECTORY));
    this.#queue(this.#options.roots.canonical(absolute));
  }

  #queue(path: string): void {
    const names = path.split("/").filter((name) => name !== "");
    if (path.endsWith("/")) names.push(".");
    this.#pending.push(...names.reverse());
  }

  #step(name: string): void {
    const { shownPath, roots } = this.#options;
    const here = this.#here;
    if (!here.stat.isDirectory())
      throw agentFailure(
        ErrorKind.NOT_DIRECTORY,
        `${shownPath} does not exist: ${roots.show(here.path)} is a file, not a directory`,
      );
    if (name === ".") return;
    if (name === "..") {
      this.#leave();
      return;
    }
    const path = here.path === "/" ? `/${name}` : `${here.path}/${name}`;
    if (!roots.mayPass(path)) throw this.#outside();
    this.#enter(path, this.#open(here, name));
    if (this.#here.stat.isSymbolicLink()) this.#follow(name);
  }

  #leave(): void {
    if (this.#places.length > 1) closeSync((this.#places.pop() ?? this.#here).fd);
  }

  #open(here: Place, name: string): number {
    try {
      return openSync(`/proc/self/fd/${here.fd}/${name}`, O_PATH | constants.O_NOFOLLOW);
    } catch (error) {
      if (systemCode(error) !== "ENOENT") throw systemFailure(error, this.#options.shownPath);
      const rest = this.#pending.toReversed();
      throw this.#options.onMissing({ directory: here, name, rest, link: this.#link });
    }
  }

  #enter(path: string, fd: number): void {
    this.#places.push({ fd, path, stat: fstatSync(fd, { bigint: true }) });
    if (this.#places.length > maxDepth)
      throw agentFailure(ErrorKind.INVALID, `the path is more than ${maxDepth} directories deep`);
  }

  #follow(name: string): void {
    const { shownPath } = this.#options;
    const link = this.#here;
    this.#leave();
    this.#links += 1;
    if (this.#links > maxLinks)
      throw agentFailure(ErrorKind.LOOP, `${shownPath} leads through more than ${maxLinks} symbolic links`);
    let target: string;
    try {
      target = readlinkSync(`/proc/self/fd/${this.#here.fd}/${name}`);
    } catch (error) {
      throw systemFailure(error, shownPath);
    }
    this.#link = { path: link.path, target };
    if (target.startsWith("/")) this.#jump(target);
    else this.#queue(target);
  }

  #outside(): Error {
    const { shownPath, roots } = this.#options;
    return agentFailure(
      ErrorKind.OUTSIDE,
      `${shownPath} is outside of what may be ${roots.use}: ${roots.describe()}`,
    );
  }
}
