import { parseArgs } from "node:util";
import type { Kind } from "./parts/service-process.js";

/** What the command line of the benchmark says. */
export interface BenchArguments {
  /** Fewer rounds: about a minute. */
  readonly quick: boolean;
  /** JSON on standard output in place of the table. */
  readonly json: boolean;
  /** The only measurements to make. Empty means all. */
  readonly only: readonly string[];
  /** The only kinds of sandbox. Empty means all that the machine has. */
  readonly kinds: readonly Kind[];
  /** Directory for a CPU profile of the service. */
  readonly profileDir: string | undefined;
}

/** How the benchmark is called. */
export const USAGE = `usage: npm run bench -- [--quick] [--json] [--only NAME]... [--sandbox docker|local]... [--cpu-prof DIR]
  --quick      fewer rounds, about a minute
  --json       the rows as JSON
  --only       one measurement: memory, bash, throughput, read, stream, cancel, lost, memory-after-load
  --sandbox    one kind of sandbox
  --cpu-prof   write a CPU profile of the service to DIR`;

/** Reads the command line. Throws an Error with the usage. */
export function readArguments(argv: readonly string[], names: readonly string[]): BenchArguments {
  const { values } = parse(argv);
  const only = values.only ?? [];
  const unknown = only.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`there is no measurement ${unknown}\n${USAGE}`);
  const kinds = (values.sandbox ?? []).map((kind) => {
    if (kind === "docker" || kind === "local") return kind;
    throw new Error(`there is no kind of sandbox ${kind}\n${USAGE}`);
  });
  return {
    quick: values.quick ?? false,
    json: values.json ?? false,
    only,
    kinds,
    profileDir: values["cpu-prof"],
  };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        quick: { type: "boolean" },
        json: { type: "boolean" },
        only: { type: "string", multiple: true },
        sandbox: { type: "string", multiple: true },
        "cpu-prof": { type: "string" },
      },
    });
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`, { cause: error });
  }
}
