/** The indentation of one line, as it was searched and as the file has it. */
export interface IndentPair {
  readonly old: string;
  readonly file: string;
}

/** The file's indentation for one of the searched text's kind. Undefined if it cannot be told. */
export type Reindent = (indent: string) => string | undefined;

/** The one rule by which all pairs differ. Undefined if there is none. */
export function reindenter(pairs: readonly IndentPair[]): Reindent | undefined {
  return addsPrefix(pairs) ?? takesPrefix(pairs) ?? changesUnit(pairs);
}

/** The file is indented further, by the same everywhere. */
function addsPrefix(pairs: readonly IndentPair[]): Reindent | undefined {
  const [first] = pairs;
  if (first === undefined || !first.file.endsWith(first.old)) return undefined;
  const prefix = first.file.slice(0, first.file.length - first.old.length);
  if (!pairs.every(({ old, file }) => file === prefix + old)) return undefined;
  const known = new Set(pairs.map(({ old }) => old));
  return (indent) => (known.has(indent) || isOneKind(prefix + indent) ? prefix + indent : undefined);
}

/** The file is indented less, by the same everywhere. */
function takesPrefix(pairs: readonly IndentPair[]): Reindent | undefined {
  const [first] = pairs;
  if (first === undefined || !first.old.endsWith(first.file)) return undefined;
  const prefix = first.old.slice(0, first.old.length - first.file.length);
  if (!pairs.every(({ old, file }) => old === prefix + file)) return undefined;
  return (indent) => (indent.startsWith(prefix) ? indent.slice(prefix.length) : undefined);
}

/** The file uses another unit, such as tabs for four spaces, from the same base. */
function changesUnit(pairs: readonly IndentPair[]): Reindent | undefined {
  const base = pairs.reduce<IndentPair | undefined>(
    (least, pair) => (least === undefined || pair.old.length < least.old.length ? pair : least),
    undefined,
  );
  if (base === undefined) return undefined;
  const known = new Map(pairs.map(({ old, file }) => [old, file]));
  if (!pairs.every(({ old, file }) => known.get(old) === file)) return undefined;
  const unit = unitOf(pairs, base);
  if (unit === undefined) return undefined;
  const level = (indent: string) => levelOf(indent, base.old, unit.old);
  const toFile = (indent: string) => {
    const steps = level(indent);
    return steps === undefined ? undefined : base.file + unit.file.repeat(steps);
  };
  if (!pairs.every(({ old, file }) => toFile(old) === file)) return undefined;
  return toFile;
}

/** The step between levels: from the deeper pairs, or none where all stand at one level. */
function unitOf(pairs: readonly IndentPair[], base: IndentPair): IndentPair | undefined {
  const deeper = pairs.filter(({ old }) => old !== base.old).map(({ old }) => old.length - base.old.length);
  const step = deeper.reduce(greatestDivisor, 0);
  if (step === 0) return { old: "", file: "" };
  const sample = pairs.find(({ old }) => old !== base.old);
  if (sample === undefined || !sample.file.startsWith(base.file)) return undefined;
  const steps = (sample.old.length - base.old.length) / step;
  const extra = sample.file.slice(base.file.length);
  if (extra === "" || extra.length % steps !== 0) return undefined;
  return {
    old: sample.old.slice(base.old.length, base.old.length + step),
    file: extra.slice(0, extra.length / steps),
  };
}

function levelOf(indent: string, base: string, unit: string): number | undefined {
  if (!indent.startsWith(base)) return undefined;
  const extra = indent.slice(base.length);
  if (extra === "") return 0;
  if (unit === "" || extra.length % unit.length !== 0) return undefined;
  const steps = extra.length / unit.length;
  return unit.repeat(steps) === extra ? steps : undefined;
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}

/** True if an indentation has only tabs or only spaces. */
function isOneKind(indent: string): boolean {
  return /^(?:\t*| *)$/.test(indent);
}
