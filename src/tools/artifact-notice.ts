import type { ArtifactReference } from "../domain/tool-result.js";

/** Tells the model where the whole of a text is that was cut. */
export function artifactNotice({ path }: ArtifactReference): string {
  return `the whole output is kept for a time in ${path}: read or grep it`;
}
