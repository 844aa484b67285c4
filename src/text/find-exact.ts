import type { MatchRequest, Replacement } from "./find-match.js";

/** The places where the text stands exactly as searched. Those that overlap count too, unless all are to be replaced. */
export function findExact(request: MatchRequest): Replacement[] {
  const { text, oldText, newText, replaceAll, isBound } = request;
  const places: Replacement[] = [];
  for (let start = text.indexOf(oldText); start >= 0;) {
    const end = start + oldText.length;
    const isPlace = isBound === undefined || (isBound(start) && isBound(end));
    if (isPlace) places.push({ start, end, text: newText });
    start = text.indexOf(oldText, replaceAll && isPlace ? end : start + 1);
  }
  return places;
}
