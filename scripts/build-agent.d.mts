/** Bundles the program that runs inside a sandbox into the one file `agent.cjs`. Its build id is a hash of its text. */
export function buildAgent(options: {
  outDir: string;
}): Promise<{ path: string; buildId: string; sizeBytes: number }>;
