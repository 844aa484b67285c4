import type { AgentConfig } from "../../sandbox/channel/agent-config.js";

const usualPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** The whole environment of a command: the base of the sandbox, HOME, then what the request adds. PWD is left to the shell. */
export function commandEnvironment(
  { env, homeDir }: Pick<AgentConfig, "env" | "homeDir">,
  added: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const entries = Object.entries({ PATH: usualPath, ...env, HOME: homeDir }).filter(
    ([name]) => name !== "PWD" && name !== "OLDPWD",
  );
  return { ...Object.fromEntries(entries), ...added };
}
