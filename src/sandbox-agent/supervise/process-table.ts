import { readdirSync, readFileSync } from "node:fs";

/** A living process as /proc shows it. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parentPid: number;
  readonly groupId: number;
  /** When it was started, in clock ticks since the machine was. */
  readonly startTicks: number;
}

/** Place of the start time among the fields of /proc/PID/stat that follow the name. */
const START_FIELD = 19;

/** Content of a file of a process; undefined if the process has gone or may not be looked at. */
function readProcFile(pid: number, name: string): Buffer | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`);
  } catch {
    return undefined;
  }
}

/** The fields of /proc/PID/stat that follow the name. */
function readStat(pid: number): string[] | undefined {
  const stat = readProcFile(pid, "stat")?.toString("latin1");
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
}

function readEntry(pid: number): ProcessEntry | undefined {
  const fields = readStat(pid);
  if (fields === undefined) return undefined;
  const [state, parentPid, groupId] = fields;
  if (state === "Z" || state === "X") return undefined;
  return {
    pid,
    parentPid: Number(parentPid),
    groupId: Number(groupId),
    startTicks: Number(fields[START_FIELD]),
  };
}

/** When a process was started, in clock ticks since the machine was; also of a zombie. 0 if it has gone. */
export function startTicksOf(pid: number): number {
  return Number(readStat(pid)?.[START_FIELD] ?? 0);
}

/** All living processes; zombies are left out. Synchronous, so that it works where no thread can be made any more. */
export function listProcesses(): ProcessEntry[] {
  return readdirSync("/proc")
    .filter((name) => /^[1-9]\d*$/.test(name))
    .flatMap((name) => readEntry(Number(name)) ?? []);
}

/** True if the environment with which the process was started has exactly this variable. */
export function hasVariable(pid: number, { name, value }: { name: string; value: string }): boolean {
  const environ = readProcFile(pid, "environ");
  if (environ === undefined) return false;
  return Buffer.concat([Buffer.from("\0"), environ]).includes(`\0${name}=${value}\0`);
}
