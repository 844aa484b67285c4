import type { Masker } from "../secrets/masker.js";
import type { RunOptions, Workspace } from "../workspace/workspace.js";
import type { ProjectKey } from "./call.js";

/** Knows what is masked in a project: the values of its secrets. */
export interface Maskers {
  of(key: ProjectKey): Masker;
}

/**
 * The same workspace, in whose processes' output secrets are masked as it comes: before a tool keeps a part of it, so that
 * no cut can leave a piece of a secret.
 */
export function maskedWorkspace(workspace: Workspace, masker: Masker): Workspace {
  if (masker.isEmpty) return workspace;
  const { processes } = workspace;
  return {
    generation: workspace.generation,
    root: workspace.root,
    home: workspace.home,
    files: workspace.files,
    processes: {
      killAll: (options) => processes.killAll(options),
      run: (options) => runMasked(options, masker, (masked) => processes.run(masked)),
    },
    dial: (port, signal) => workspace.dial(port, signal),
    leftRuns: (signal) => workspace.leftRuns(signal),
    takeNotices: () => workspace.takeNotices(),
  };
}

async function runMasked<T>(
  options: RunOptions,
  masker: Masker,
  run: (options: RunOptions) => Promise<T>,
): Promise<T> {
  const streams = { stdout: masker.byteStream(), stderr: masker.byteStream() };
  try {
    return await run({
      ...options,
      onOutput(name, data) {
        const masked = streams[name].push(data);
        return masked.length === 0 ? undefined : options.onOutput(name, masked);
      },
    });
  } finally {
    for (const name of ["stdout", "stderr"] as const) {
      const rest = streams[name].flush();
      if (rest.length > 0) await options.onOutput(name, rest);
    }
  }
}
