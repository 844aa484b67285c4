import { Command, CommanderError } from "commander";
import { addCallCommand } from "./call-command.js";
import { addCompletionCommand } from "./completion-command.js";
import { addDoctorCommand } from "./doctor-command.js";
import { EXIT } from "./exit-code.js";
import { addFilesCommand } from "./files-command.js";
import { addProjectCommand } from "./project-command.js";
import { addServeCommand } from "./serve-command.js";
import { addToolsCommand } from "./tools-command.js";
import { VERSION } from "../version.js";

/** One who reads only the first lines, as `head` does, is no fault. */
for (const stream of [process.stdout, process.stderr])
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit();
  });

const program = new Command("handrail")
  .description("The hands of an agent loop: list and run tools in a project's own sandbox.")
  .version(VERSION)
  .exitOverride();
addServeCommand(program);
addToolsCommand(program);
addCallCommand(program);
addFilesCommand(program);
addProjectCommand(program);
addDoctorCommand(program);
addCompletionCommand(program);

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
}
