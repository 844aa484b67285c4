import { InvalidArgumentError, Option } from "commander";
import type { Command } from "commander";
import { callTool } from "./call-tool.js";
import { addProjectOptions } from "./connection.js";
import type { ProjectFlags } from "./connection.js";
import { exitHelp } from "./exit-code.js";
import { runAction } from "./run-action.js";

/** Options of `handrail call`, as commander gives them. */
interface CallFlags extends ProjectFlags {
  readonly session?: string;
  readonly user?: string;
  readonly turn?: string;
  readonly callId?: string;
  readonly mode: "plan" | "build";
  readonly deadline?: number;
  readonly arg: readonly string[];
  readonly json?: true;
  readonly events?: true;
}

/** Adds `handrail call TOOL [JSON]`. */
export function addCallCommand(program: Command): void {
  addProjectOptions(program.command("call"))
    .description("run one tool and show its output as it comes; Ctrl-C cancels the call")
    .argument("<tool>", "name of the tool, such as bash")
    .argument("[json]", "arguments as a JSON object; - reads them from standard input, @FILE from a file")
    .option(
      "--arg <name=value>",
      "one argument, with the type that the tool wants; may be repeated",
      (pair: string, pairs: string[]) => [...pairs, pair],
      [],
    )
    .option("--session <id>", "session of the call")
    .option("--user <id>", "user the agent works for")
    .option("--turn <id>", "turn of the call (default: a new one)")
    .option("--call-id <id>", "id of the call; the same again replays its result (default: a new one)")
    .addOption(new Option("--mode <mode>", "mode of the call").choices(["plan", "build"]).default("build"))
    .option("--deadline <ms>", "deadline of the request in ms", wholeMs)
    .addOption(new Option("--json", "print the result as JSON").conflicts("events"))
    .option("--events", "print each event as a line of JSON, the result last")
    .addHelpText("after", exitHelp())
    .action(async (tool: string, argumentsText: string | undefined, flags: CallFlags) => {
      const { json, events, arg: pairs, ...rest } = flags;
      const show = events === true ? "events" : json === true ? "json" : "text";
      await runAction(flags.url, () => callTool({ tool, argumentsText, pairs, show, ...rest }));
    });
}

function wholeMs(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new InvalidArgumentError("must be a whole number of ms above 0");
  return Number(text);
}
