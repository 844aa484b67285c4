import type { ArtifactReference } from "../domain/tool-result.js";

const EXTENTS: Readonly<Record<ArtifactReference["extent"], string>> = {
  whole: "the whole output",
  beginning: "the beginning of the output",
  unknown: "the output, as far as it could be kept,",
};

/** Tells the model where more of a text is that was cut. */
export function artifactNotice({ path, extent }: ArtifactReference): string {
  return `${EXTENTS[extent]} is kept for a time in ${path}: read or grep it`;
}
