import type { SandboxKey } from "../sandbox/provider.js";
import type { Place } from "./place.js";
import { SandboxLost } from "./workspace.js";

/** The number of the last sandbox of each project, remembered beyond the life of the service. */
export interface GenerationMemory {
  /** 0 if the project had none. */
  read(key: SandboxKey): Promise<number>;
  /** 0 for a project that is gone. */
  write(key: SandboxKey, generation: number): Promise<void>;
}

/** Learns which sandbox the project had last, if this service has not met one. */
export async function recallGeneration(place: Place, memory: GenerationMemory | undefined): Promise<void> {
  if (place.generation === 0 && memory !== undefined) place.generation = await memory.read(place.key);
}

/** The loss of a project's last sandbox, before anything was begun. */
export function lostSandbox({ generation }: Place): SandboxLost {
  return new SandboxLost("sandbox", { begun: "no", generation });
}
