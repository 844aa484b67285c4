import { LauncherSupervisor } from "./launcher-supervisor.js";
import { SpawnSupervisor } from "./spawn-supervisor.js";
import type { Supervisor } from "./supervisor.js";

/** Options of createSupervisor. */
export interface CreateSupervisorOptions {
  /** Absolute path of a private directory of the agent; its files may be run. At most 90 bytes long. */
  readonly directory: string;
  /** The native launcher. Default: none, so that supervision is reduced. */
  readonly binary?: Uint8Array;
}

/** A supervisor and why it is not the full one. */
export interface CreatedSupervisor {
  readonly supervisor: Supervisor;
  /** Empty if supervision is full. */
  readonly reducedReason: string;
}

/** Makes the full supervisor if the launcher runs in this place, else the reduced one. */
export async function createSupervisor({
  directory,
  binary,
}: CreateSupervisorOptions): Promise<CreatedSupervisor> {
  const reduced = (reducedReason: string): CreatedSupervisor => ({
    supervisor: new SpawnSupervisor({ directory }),
    reducedReason,
  });
  if (binary === undefined) return reduced("this build carries no launcher");
  try {
    return { supervisor: await LauncherSupervisor.boot({ directory, binary }), reducedReason: "" };
  } catch (error) {
    return reduced(
      `the launcher does not run here: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
