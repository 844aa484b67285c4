/** Where artifacts are, below the home directory of commands. */
const ARTIFACTS = ".handrail/artifacts";

/** What the name of each begins with: an id may begin with a dot, the name of its file never does. */
const PREFIX = "output.";

/** The directory of a project's artifacts: long outputs that are kept for a time. */
export function artifactsDir(homeDir: string): string {
  return `${homeDir}/${ARTIFACTS}`;
}

/** The file of an artifact. */
export function artifactPath(homeDir: string, artifactId: string): string {
  return `${artifactsDir(homeDir)}/${PREFIX}${artifactId}`;
}

/** True for the name of a file of an artifact. */
export function isArtifactFile(name: string): boolean {
  return name.startsWith(PREFIX);
}
