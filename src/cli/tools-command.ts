import { randomUUID } from "node:crypto";
import { toJson } from "@bufbuild/protobuf";
import { Option } from "commander";
import type { Command } from "commander";
import { Mode } from "../../gen/handrail/v1/context_pb.js";
import {
  Effect,
  ListToolsResponseSchema,
  ToolFormat,
  ToolService,
} from "../../gen/handrail/v1/tool_service_pb.js";
import type { ListToolsResponse } from "../../gen/handrail/v1/tool_service_pb.js";
import { addProjectOptions, clientOf } from "./connection.js";
import type { ProjectFlags } from "./connection.js";
import { EXIT } from "./exit-code.js";
import { runAction } from "./run-action.js";

const FORMATS: Readonly<Record<string, ToolFormat>> = {
  "json-schema": ToolFormat.JSON_SCHEMA,
  openai: ToolFormat.OPENAI,
  "openai-strict": ToolFormat.OPENAI_STRICT,
  anthropic: ToolFormat.ANTHROPIC,
  gemini: ToolFormat.GEMINI,
  mcp: ToolFormat.MCP,
};

interface ToolsFlags extends ProjectFlags {
  readonly session?: string;
  readonly user?: string;
  readonly mode: "plan" | "build";
  readonly format?: string;
  readonly all?: true;
  readonly json?: true;
}

/** Adds `handrail tools`. */
export function addToolsCommand(program: Command): void {
  addProjectOptions(program.command("tools"))
    .description("list the tools of a turn")
    .option("--session <id>", "session of the turn")
    .option("--user <id>", "user the agent works for")
    .addOption(new Option("--mode <mode>", "mode of the turn").choices(["plan", "build"]).default("build"))
    .addOption(
      new Option("--format <format>", "print the definitions for a model, as a JSON array").choices(
        Object.keys(FORMATS),
      ),
    )
    .option("--all", "also the tools that are not available, and why")
    .option("--json", "print the answer as JSON")
    .action((flags: ToolsFlags) => runAction(flags.url, () => listTools(flags)));
}

async function listTools(flags: ToolsFlags): Promise<number> {
  const { project, session = "", user = "", mode, format, all = false, json } = flags;
  const answer = await clientOf(ToolService, flags).listTools({
    context: {
      projectId: project,
      sessionId: session,
      userId: user,
      turnId: randomUUID(),
      mode: mode === "plan" ? Mode.PLAN : Mode.BUILD,
    },
    format: FORMATS[format ?? "json-schema"] ?? ToolFormat.JSON_SCHEMA,
    includeUnavailable: all,
  });
  if (format !== undefined) {
    const definitions = answer.tools.map(({ definitionJson }) => JSON.parse(definitionJson) as unknown);
    console.log(JSON.stringify(definitions, null, 2));
  } else if (json === true) {
    console.log(JSON.stringify(toJson(ListToolsResponseSchema, answer), null, 2));
  } else {
    for (const line of table(answer)) console.log(line);
  }
  return EXIT.ok;
}

function table({ tools, unavailable }: ListToolsResponse): string[] {
  const rows = [
    ...tools.map(({ name, effect, description }) => [name, effectName(effect), firstSentence(description)]),
    ...unavailable.map(({ name, reason }) => [name, "-", `not available: ${reason}`]),
  ];
  const width = (column: number): number => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  return rows.map(([name = "", effect = "", text = ""]) =>
    `${name.padEnd(width(0))}  ${effect.padEnd(width(1))}  ${text}`.trimEnd(),
  );
}

function effectName(effect: Effect): string {
  return Effect[effect].toLowerCase().replace("_", " ");
}

function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s|$)/s.exec(text)?.[0].replace(/\s+/g, " ") ?? text;
}
