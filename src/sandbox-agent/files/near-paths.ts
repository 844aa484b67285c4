import { closeSync, constants, openSync } from "node:fs";
import { listDirectory, withDirectory } from "./list-directory.js";
import { nameDistance } from "./name-distance.js";
import type { MissingName } from "./path-walk.js";
import type { ReadRoots } from "./read-roots.js";

const maxNear = 5;
const maxListed = 5000;
const maxSearched = 4000;
const maxDepth = 4;
const notSearched = new Set(["node_modules", ".git"]);

/**
 * Paths that may have been meant by one that does not exist, best first, at most 5: names like the missing one in its
 * directory, then files of that name elsewhere near the top of the workspace. Relative to the workspace where in it.
 */
export function nearPaths(missing: MissingName, roots: ReadRoots): string[] {
  if (!roots.allows(missing.directory.path)) return [];
  const wanted = missing.rest.at(-1) ?? missing.name;
  return [...new Set([...inDirectory(missing, roots), ...inWorkspace(wanted, roots)])].slice(0, maxNear);
}

function inDirectory({ directory, name, rest }: MissingName, roots: ReadRoots): string[] {
  const plainRest = rest.filter((part) => part !== ".");
  const near = ranked(
    listDirectory(directory.fd, maxListed)
      .filter(({ isDirectory }) => plainRest.length === 0 || isDirectory)
      .map((entry) => ({ path: entry.name, distance: nameDistance(name, entry.name) })),
  ).slice(0, maxNear);
  const base = directory.path === "/" ? "" : directory.path;
  return near.map((found) => {
    const whole = [found, ...plainRest];
    const exists = plainRest.length > 0 && !plainRest.includes("..") && has(directory.fd, whole);
    return roots.show(`${base}/${exists ? whole.join("/") : found}`);
  });
}

function has(fd: number, names: readonly string[]): boolean {
  const last = names.at(-1);
  const found = withDirectory(fd, names.slice(0, -1), (parent) =>
    listDirectory(parent, maxListed).some(({ name }) => name === last),
  );
  return found ?? false;
}

function inWorkspace(wanted: string, roots: ReadRoots): string[] {
  let top: number;
  try {
    top = openSync(roots.workspace, constants.O_RDONLY | constants.O_DIRECTORY);
  } catch {
    return [];
  }
  try {
    return ranked(search(top, wanted));
  } finally {
    closeSync(top);
  }
}

function search(top: number, wanted: string): Candidate[] {
  const found: Candidate[] = [];
  let left = maxSearched;
  const queue: (readonly string[])[] = [[]];
  for (const names of queue) {
    const entries = withDirectory(top, names, (fd) => listDirectory(fd, left)) ?? [];
    left -= entries.length;
    for (const { name, isDirectory } of entries) {
      const distance = nameDistance(wanted, name);
      const path = [...names, name];
      if (distance !== undefined && distance <= 1) found.push({ path: path.join("/"), distance });
      if (isDirectory && path.length < maxDepth && !notSearched.has(name)) queue.push(path);
    }
    if (left <= 0) break;
  }
  return found;
}

interface Candidate {
  readonly path: string;
  readonly distance: number | undefined;
}

function ranked(candidates: readonly Candidate[]): string[] {
  return candidates
    .flatMap(({ path, distance }) => (distance === undefined ? [] : [{ path, distance }]))
    .sort((a, b) => a.distance - b.distance || a.path.length - b.path.length || (a.path < b.path ? -1 : 1))
    .map(({ path }) => path);
}
