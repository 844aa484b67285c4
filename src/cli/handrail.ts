import { Command } from "commander";
import { addCallCommand } from "./call-command.js";
import { addServeCommand } from "./serve-command.js";
import { VERSION } from "../version.js";

const program = new Command("handrail")
  .description("The hands of an agent loop: list and run tools in a project's own sandbox.")
  .version(VERSION)
  .showHelpAfterError();
addServeCommand(program);
addCallCommand(program);
await program.parseAsync();
