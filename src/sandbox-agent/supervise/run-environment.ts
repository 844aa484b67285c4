import { type ProcessSpec, StartError } from "./supervisor.js";

/** Name of the variable that marks the processes of a run with its id. */
export const RUN_MARKER = "HANDRAIL_RUN";

/**
 * The environment of a process with the marker of its run. Throws StartError if a string of the spec cannot be handed
 * to a process.
 */
export function markedEnvironment(spec: ProcessSpec): Record<string, string> {
  const env = { ...spec.env, [RUN_MARKER]: spec.runId };
  if (spec.argv.length === 0) throw new StartError("not-executable", "no program is named: argv is empty");
  if (spec.cwd.includes("\0"))
    throw new StartError("working-directory", "the working directory contains a NUL byte");
  const index = spec.argv.findIndex((argument) => argument.includes("\0"));
  if (index >= 0) throw new StartError("not-executable", `argument ${index} contains a NUL byte`);
  for (const [name, value] of Object.entries(env)) {
    if (name === "" || /[=\0]/.test(name) || value.includes("\0"))
      throw new StartError("not-executable", `the environment variable ${JSON.stringify(name)} is malformed`);
  }
  return env;
}
