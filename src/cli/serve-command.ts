import type { Command } from "commander";

/** Adds `handrail serve`. What serves is loaded only then, since the other commands are to start quickly. */
export function addServeCommand(program: Command): void {
  program
    .command("serve")
    .description("serve on 127.0.0.1 with the best sandbox there is; settings come from HANDRAIL_… variables")
    .action(async () => {
      const { serve } = await import("../main.js");
      await serve(new URL(".", import.meta.url));
    });
}
