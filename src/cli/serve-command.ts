import type { Command } from "commander";
import { serve } from "../main.js";

/** Adds `handrail serve`. */
export function addServeCommand(program: Command): void {
  program
    .command("serve")
    .description("serve on 127.0.0.1 with the best sandbox there is; settings come from HANDRAIL_… variables")
    .action(serve);
}
