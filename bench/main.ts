import { readArguments } from "./arguments.js";
import type { BenchArguments } from "./arguments.js";
import { describeMachine, machineLine } from "./machine.js";
import type { Machine } from "./machine.js";
import { measureKind } from "./measure-kind.js";
import type { Kind } from "./parts/service-process.js";
import { table, verdict } from "./report.js";
import { isMet } from "./row.js";
import type { Row } from "./row.js";
import { bashLatency } from "./rows/bash-latency.js";
import { cancel } from "./rows/cancel.js";
import { chain } from "./rows/chain.js";
import { lost } from "./rows/lost.js";
import { memory, memoryAfterLoad } from "./rows/memory.js";
import { readLatency } from "./rows/read-latency.js";
import { stream } from "./rows/stream.js";
import { throughput } from "./rows/throughput.js";

const MEASUREMENTS = [
  memory,
  bashLatency,
  throughput,
  readLatency,
  stream,
  cancel,
  lost,
  chain,
  memoryAfterLoad,
] as const;

/** Longest run, in ms; then everything is ended and the run fails. */
const LIMIT_MS = 330_000;

/** What the run has to end, the latest first. */
const endings: (() => Promise<void>)[] = [];

let ending = Promise.resolve();

/** Ends everything, one after the other also if it is called while that is being done. */
function endAll(): Promise<void> {
  ending = ending.catch(() => undefined).then(endEach);
  return ending;
}

/** Ends each, also if the end of another fails, and then throws the first failure. */
async function endEach(): Promise<void> {
  const failures: unknown[] = [];
  for (let end = endings.pop(); end !== undefined; end = endings.pop()) {
    await end().catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}

function fail(error: unknown): void {
  console.error("bench:", error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function stop(why: string): Promise<never> {
  console.error(`bench: ${why}; ending what was started`);
  await endAll().catch(fail);
  process.exit(1);
}

async function measureAll(options: BenchArguments, machine: Machine): Promise<Row[]> {
  const kinds = (["docker", "local"] as const).filter((kind) => isWanted(kind, options, machine));
  const rows: Row[] = [];
  for (const kind of kinds) {
    const measurements = MEASUREMENTS.filter(
      ({ name, kinds: at }) =>
        at.includes(kind) && (options.only.length === 0 || options.only.includes(name)),
    );
    if (measurements.length === 0) continue;
    const tell = (line: string) => console.error(`bench: ${line}`);
    const defer = (end: () => Promise<void>) => void endings.push(end);
    rows.push(...(await measureKind({ kind, measurements, tell, defer, ...options })));
    await endAll();
  }
  return rows;
}

function isWanted(kind: Kind, { kinds }: BenchArguments, { engine }: Machine): boolean {
  if (kinds.length > 0 && !kinds.includes(kind)) return false;
  if (kind === "local" || engine !== undefined) return true;
  console.error("bench: no Docker engine answers; the rows of containers are left out");
  return false;
}

async function build(): Promise<void> {
  const script: string = new URL("../scripts/build.mjs", import.meta.url).href;
  const { buildAll } = (await import(script)) as { buildAll: () => Promise<void> };
  await buildAll();
}

async function main(): Promise<void> {
  const options = readArguments(
    process.argv.slice(2),
    MEASUREMENTS.map(({ name }) => name),
  );
  const machine = await describeMachine();
  await build();
  const rows = await measureAll(options, machine);
  if (options.json) {
    const judged = rows.map((row) => ({ ...row, met: isMet(row) ?? null }));
    console.log(JSON.stringify({ machine, rows: judged, verdict: verdict(rows) }, undefined, 2));
  } else {
    console.log(`\n${machineLine(machine)}\n\n${table(rows)}\n\n${verdict(rows)}`);
  }
}

process.once("SIGINT", () => void stop("interrupted"));
process.once("SIGTERM", () => void stop("told to end"));
const clock = setTimeout(() => void stop(`not done after ${LIMIT_MS} ms`), LIMIT_MS);
await main().catch(fail);
await endAll().catch(fail);
clearTimeout(clock);
