import { medianMs } from "../measure/load.js";
import { interleave } from "../measure/rounds.js";
import { median } from "../measure/statistics.js";
import { execByApi, findContainer } from "../parts/docker-engine.js";
import { mcpOverHttp, mcpOverStdio } from "../parts/mcp-caller.js";
import type { Row } from "../row.js";
import type { Measurement, Stage } from "../stage.js";

const COMMAND = { command: "true" };

/** Calls before the first round: so many that the service, the agent and the client run compiled code. */
const WARM_UP_CALLS = { whole: 400, quick: 200 };

/** A warm `bash true`, one caller: against a raw spawn and, for containers, against what the engine offers. */
export const bashLatency: Measurement = {
  name: "bash",
  kinds: ["docker", "local"],
  async measure(stage) {
    const { client, json, wire, service } = stage;
    const provider = service.kind;
    const count = stage.quick ? 30 : 50;
    const warmUp = stage.quick ? WARM_UP_CALLS.quick : WARM_UP_CALLS.whole;
    await medianMs(warmUp, () => client.run("bash", COMMAND));
    await medianMs(warmUp, () => json.run("bash", COMMAND));
    await medianMs(warmUp, () => wire.run("bash", COMMAND));
    const mcp = { stdio: await mcpOverStdio(), http: await mcpOverHttp() };
    for (const caller of Object.values(mcp)) await medianMs(warmUp, () => caller.run(COMMAND.command));
    const rounds = await interleave(
      {
        grpc: () => medianMs(count, () => client.run("bash", COMMAND)),
        wire: () => medianMs(count, () => wire.run("bash", COMMAND)),
        json: () => medianMs(count, () => json.run("bash", COMMAND)),
        mcpStdio: () => medianMs(count, () => mcp.stdio.run(COMMAND.command)),
        mcpHttp: () => medianMs(count, () => mcp.http.run(COMMAND.command)),
        spawn: () => medianSpawnMs(stage, ["bash", "-c", "true"], count),
        ...(await engineContestants(stage)),
      },
      stage.quick ? { rounds: 4, budgetMs: 8_000 } : { rounds: 9, budgetMs: 24_000 },
    );
    await Promise.all([mcp.stdio.close(), mcp.http.close()]);
    const spawn = { what: "raw spawn of bash -c true", value: rounds.figure("spawn"), unit: "ms" } as const;
    const rows: Row[] = (["wire", "grpc", "json", "mcpStdio", "mcpHttp"] as const).map((name) => ({
      provider,
      what: `bash true, p50, ${NAMES[name]}`,
      ours: { value: rounds.figure(name), unit: "ms" },
      yardstick: spawn,
      ratio: { value: rounds.ratio(name, "spawn"), reads: "times the yardstick" },
      ...(name === "wire" ? { target: { of: "ratio", is: "at most", value: 2.5 } as const } : {}),
    }));
    if (provider === "local") return rows;
    for (const name of ["cli", "api"] as const) {
      rows.push({
        provider,
        what: `bash true, p50, ${NAMES.wire}`,
        ours: { value: rounds.figure("wire"), unit: "ms" },
        yardstick: { what: ENGINE_NAMES[name], value: rounds.figure(name), unit: "ms" },
        ratio: { value: rounds.ratio(name, "wire"), reads: "times better" },
        ...(name === "cli" ? { target: { of: "ratio", is: "at least", value: 10 } as const } : {}),
      });
    }
    return rows;
  },
};

const NAMES = {
  wire: "gRPC ExecuteTool by node:http2",
  grpc: "gRPC ExecuteTool by grpc-js",
  json: "Connect RunTool, JSON over HTTP/1.1",
  mcpStdio: "an MCP server by stdio, no sandbox",
  mcpHttp: "an MCP server by HTTP, no sandbox",
} as const;
const ENGINE_NAMES = { cli: "docker exec true", api: "exec of true by the engine's API" } as const;

type EngineContestants = Record<"cli" | "api", () => Promise<number>>;

async function engineContestants(stage: Stage): Promise<EngineContestants> {
  if (stage.service.kind === "local") return { cli: absent, api: absent };
  const container = await findContainer(stage.service.instance);
  const count = stage.quick ? 5 : 8;
  return {
    cli: () => medianSpawnMs(stage, ["docker", "exec", container.id, "true"], count),
    api: () => medianMs(count, () => execByApi(container, ["true"])),
  };
}

function absent(): Promise<number> {
  return Promise.resolve(Number.NaN);
}

async function medianSpawnMs({ spawner }: Stage, argv: readonly string[], count: number): Promise<number> {
  return median((await spawner.run(argv, { count })).durationsMs);
}
