import { Outcome } from "../../gen/handrail/v1/result_pb.js";

/** The service's own counters by name and labels, as `GET /metrics` gives them. */
export async function readCounters(url: string): Promise<ReadonlyMap<string, number>> {
  const response = await fetch(`${url}/metrics`);
  if (!response.ok) throw new Error(`GET /metrics answers ${response.status}`);
  const lines = (await response.text()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const border = line.lastIndexOf(" ");
      return [line.slice(0, border), Number(line.slice(border + 1))];
    }),
  );
}

/** Where the counters of a service that lived all along differ from what was seen of it, in words. */
export function miscountsOf(
  counters: ReadonlyMap<string, number>,
  seen: { outcomes: ReadonlyMap<string, number>; recoveries: { least: number; most: number } },
): string[] {
  const names = Object.values(Outcome).filter((name) => typeof name === "string");
  const expected = new Map(
    names.map((name) => [
      `handrail_calls_total{tool="bash",outcome="${name}"}`,
      seen.outcomes.get(name) ?? 0,
    ]),
  );
  const { least, most } = seen.recoveries;
  const recoveries = counters.get("handrail_sandbox_recoveries_total") ?? 0;
  expected.set("handrail_sandbox_recoveries_total", Math.min(Math.max(recoveries, least), most));
  expected.set("handrail_calls_interrupted_total", 0);
  expected.set("handrail_calls_running", 0);
  return [...expected].flatMap(([name, count]) => {
    const counted = counters.get(name) ?? 0;
    return counted === count ? [] : [`${name} is ${counted}, seen were ${count}`];
  });
}
