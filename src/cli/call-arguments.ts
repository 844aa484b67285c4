import { readFile } from "node:fs/promises";
import { text as readAll } from "node:stream/consumers";
import { LocalError, UsageError } from "./run-action.js";

/** The part of a JSON Schema that says how a value is written. */
interface Schema {
  readonly properties?: Readonly<Record<string, { readonly type?: string | readonly string[] }>>;
}

/** Options of callArguments. */
export interface CallArgumentsOptions {
  /** JSON text, `-` for standard input, `@file` for a file; undefined if none was given. */
  readonly text: string | undefined;
  /** `name=value` pairs. */
  readonly pairs: readonly string[];
  /** Gives the JSON Schema of the tool's input; asked for only if there are pairs. */
  readonly schema: () => Promise<unknown>;
}

/** The arguments of a call as JSON text. Throws UsageError, LocalError. */
export async function callArguments({ text, pairs, schema }: CallArgumentsOptions): Promise<string> {
  const given = await textOf(text);
  if (pairs.length === 0) return given ?? "{}";
  const base = given === undefined ? {} : parseObject(given);
  const known = ((await schema()) as Schema | undefined)?.properties ?? {};
  const values = pairs.map((pair) => {
    const [, name, value] = /^([^=]+)=([\s\S]*)$/.exec(pair) ?? [];
    if (name === undefined || value === undefined)
      throw new UsageError(`--arg ${JSON.stringify(pair)} is not name=value`);
    return [name, valueOf(name, value, known[name]?.type)] as const;
  });
  return JSON.stringify({ ...base, ...Object.fromEntries(values) });
}

async function textOf(text: string | undefined): Promise<string | undefined> {
  if (text === "-") return readAll(process.stdin);
  if (text?.startsWith("@") !== true) return text;
  const path = text.slice(1);
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new LocalError(
      `${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)})`,
    );
  }
}

function parseObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch (error) {
    throw new UsageError(`the arguments are not JSON: ${error instanceof Error ? error.message : ""}`);
  }
  throw new UsageError("the arguments are not a JSON object, so --arg cannot add to them");
}

function valueOf(name: string, value: string, type: string | readonly string[] | undefined): unknown {
  const types = typeof type === "string" ? [type] : (type ?? []);
  if (types.length === 0 || types.includes("string")) return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    throw new UsageError(`--arg ${name}: ${JSON.stringify(value)} is not of type ${types.join(" or ")}`);
  }
}
