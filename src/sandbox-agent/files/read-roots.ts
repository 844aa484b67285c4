import { realpathSync } from "node:fs";
import type { AgentConfig } from "../../sandbox/channel/agent-config.js";
import { isBelow } from "./absolute-path.js";

/** The directories below which files may be read, or written. */
export class ReadRoots {
  /** What may be done with files below the roots, for a message. */
  readonly use: "read" | "written";
  readonly #roots: readonly { readonly given: string; readonly real: string }[];
  readonly #real: readonly string[];
  /** Absolute path of the workspace, without symbolic links. */
  readonly workspace: string;

  constructor(
    { readRoots, workspaceRoot }: Pick<AgentConfig, "readRoots" | "workspaceRoot">,
    use: "read" | "written" = "read",
  ) {
    this.use = use;
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

  /** The path relative to the workspace, `.` for the workspace itself; empty if it is outside. */
  inWorkspace(path: string): string {
    if (path === this.workspace) return ".";
    return isBelow(path, this.workspace) ? path.slice(this.workspace.length).replace(/^\//, "") : "";
  }

  /** The roots, for a message. */
  describe(): string {
    const [, ...others] = this.#roots;
    return ["the workspace", ...others.map(({ given }) => given)].join(", ");
  }
}

/** The directories below which files may be written: the workspace, the home directory, and the one for temporary files. */
export function writeRoots({
  readRoots,
  workspaceRoot,
  homeDir,
}: Pick<AgentConfig, "readRoots" | "workspaceRoot" | "homeDir">): ReadRoots {
  const others = readRoots.includes("/") ? ["/tmp"] : readRoots;
  return new ReadRoots({ workspaceRoot, readRoots: [homeDir, ...others] }, "written");
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path.replace(/(?<=.)\/+$/, "");
  }
}
