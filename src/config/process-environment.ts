import type { Environment } from "./environment.js";

/** The environment of this process. */
export function processEnvironment(): Environment {
  return process.env;
}
