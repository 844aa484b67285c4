/** Where artifacts are, below the home directory of commands. */
const ARTIFACTS = ".handrail/artifacts";

/** The directory of a project's artifacts: long outputs that are kept whole for a time. */
export function artifactsDir(homeDir: string): string {
  return `${homeDir}/${ARTIFACTS}`;
}

/** The file of an artifact. An id may begin with a dot, the name of its file never does. */
export function artifactPath(homeDir: string, artifactId: string): string {
  return `${artifactsDir(homeDir)}/output.${artifactId}`;
}
