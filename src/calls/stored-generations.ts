import type { StateKey, StateStore } from "../state/store.js";
import type { GenerationMemory } from "../workspace/known-sandbox.js";
import type { ProjectKey } from "./call.js";

/** Keeps the number of each project's last sandbox in a state store. */
export function storedGenerations(store: StateStore): GenerationMemory {
  return {
    async read(key) {
      const record = await store.get(keyOf(key));
      return record === undefined ? 0 : Number(Buffer.from(record.value).toString());
    },
    async write(key, generation) {
      await store.commit([{ key: keyOf(key), put: Buffer.from(String(generation)) }]);
    },
  };
}

function keyOf({ tenant, project }: ProjectKey): StateKey {
  return { space: "generation", parts: [tenant, project] };
}
