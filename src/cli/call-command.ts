import { InvalidArgumentError, Option } from "commander";
import type { Command } from "commander";
import { DEFAULT_PORT } from "../config/server-config.js";
import { callTool } from "./call-tool.js";

/** Options of `handrail call`, as commander gives them. */
interface CallFlags {
  readonly url: string;
  readonly project: string;
  readonly session?: string;
  readonly user?: string;
  readonly mode: "plan" | "build";
  readonly token?: string;
  readonly deadline?: number;
  readonly json?: true;
}

/** Adds `handrail call TOOL [JSON]`. */
export function addCallCommand(program: Command): void {
  program
    .command("call")
    .description("run one tool and show its output as it comes; Ctrl-C cancels the call")
    .argument("<tool>", "name of the tool, such as bash")
    .argument("[json]", "arguments as a JSON object; - reads them from standard input", "{}")
    .addOption(
      new Option("--url <url>", "address of the service")
        .env("HANDRAIL_URL")
        .default(`http://127.0.0.1:${DEFAULT_PORT}`),
    )
    .addOption(new Option("--project <id>", "project to run in").env("HANDRAIL_PROJECT").default("default"))
    .option("--session <id>", "session of the call")
    .option("--user <id>", "user the agent works for")
    .addOption(new Option("--mode <mode>", "mode of the call").choices(["plan", "build"]).default("build"))
    .addOption(new Option("--token <token>", "bearer token").env("HANDRAIL_TOKEN"))
    .option("--deadline <ms>", "deadline of the request in ms", wholeMs)
    .option("--json", "print the result as JSON instead of text")
    .addHelpText(
      "after",
      "\nExit codes: 0 success, 1 the tool failed, 2 the call was refused or the service is not there, 130 canceled.",
    )
    .action(async (tool: string, argumentsText: string, { json, ...flags }: CallFlags) => {
      process.exitCode = await callTool({ tool, argumentsText, asJson: json ?? false, ...flags });
    });
}

function wholeMs(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new InvalidArgumentError("must be a whole number of ms above 0");
  return Number(text);
}
