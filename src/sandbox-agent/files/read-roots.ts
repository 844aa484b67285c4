import { realpathSync } from "node:fs";
import type { AgentConfig } from "../../sandbox/channel/agent-config.js";
import { isBelow } from "./absolute-path.js";

/** The directories below which files may be read. */
export class ReadRoots {
  readonly #roots: readonly { readonly given: string; readonly real: string }[];
  readonly #real: readonly string[];
  /** Absolute path of the workspace, without symbolic links. */
  readonly workspace: string;

  constructor({ readRoots, workspaceRoot }: Pick<AgentConfig, "readRoots" | "workspaceRoot">) {
    this.#roots = [...new Set([workspaceRoot, ...readRoots])].map((given) => ({
      given,
      real: realPath(given),
    }));
    this.#real = this.#roots.map(({ real }) => real);
    this.workspace = realPath(workspaceRoot);
  }

  /** Replaces a root at the start of a path by where it really is. */
  canonical(path: string): string {
    const root = this.#roots.find(({ given, real }) => given !== real && isBelow(path, given));
    return root === undefined ? path : root.real + path.slice(root.given.length);
  }

  /** True if a file at that place, which has no symbolic links, may be read. */
  allows(path: string): boolean {
    return this.#real.some((root) => isBelow(path, root));
  }

  /** True if a path may lead through that place: it is allowed, or it leads to a root. */
  mayPass(path: string): boolean {
    return this.#real.some((root) => isBelow(path, root) || isBelow(root, path));
  }

  /** The path relative to the workspace if it is in it. */
  show(path: string): string {
    return path !== this.workspace && isBelow(path, this.workspace)
      ? path.slice(this.workspace.length).replace(/^\//, "")
      : path;
  }

  /** The roots, for a message. */
  describe(): string {
    const [, ...others] = this.#roots;
    return ["the workspace", ...others.map(({ given }) => given)].join(", ");
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path.replace(/(?<=.)\/+$/, "");
  }
}
