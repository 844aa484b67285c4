/** The tools of plan mode: an explicit list, so that a new tool is out until someone puts it in. */
export const PLAN_MODE_TOOLS = [
  "read",
  "list_files",
  "glob",
  "grep",
  "web_search",
  "web_scrape",
  "db_schema",
  "read_runtime_errors",
  "mcp_list",
  "mcp_call",
  "spawn_subagent",
  "use_skill",
  "ask_user",
  "exit_plan_mode",
] as const;

/** Tools that exist for plan mode only. */
export const BUILD_EXCLUDED_TOOLS = ["list_files", "exit_plan_mode"] as const;
