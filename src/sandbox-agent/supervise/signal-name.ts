import { constants } from "node:os";

const names = new Map<number, string>();
for (const [name, value] of Object.entries(constants.signals)) if (!names.has(value)) names.set(value, name);

/** Name of a signal, such as `SIGKILL`; `SIG40` for one that has no name. */
export function signalName(signal: number): string {
  return names.get(signal) ?? `SIG${signal}`;
}
