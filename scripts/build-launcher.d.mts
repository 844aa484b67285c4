/**
 * Compiles the native launcher to `<outDir>/launcher` with the first compiler that can make a static binary.
 * Does nothing if the output is newer than its sources.
 */
export function buildLauncher(options: {
  /** Directory of the output; it is made if it does not exist. */
  outDir: string;
}): { path: string } | { reason: string };
