import type { StateKey, StateStore } from "../state/store.js";
import type { GenerationMemory } from "../workspace/known-sandbox.js";
import type { ProjectKey } from "./call.js";

/** Keeps the number of each project's last sandbox of a provider in a state store. */
export function storedGenerations(store: StateStore, provider: string): GenerationMemory {
  const keyOf = ({ tenant, project }: ProjectKey): StateKey => ({
    space: "generation",
    parts: [provider, tenant, project],
  });
  return {
    async read(key) {
      const record = await store.get(keyOf(key));
      return record === undefined ? 0 : Number(Buffer.from(record.value).toString());
    },
    async write(key, generation) {
      const put = Buffer.from(String(generation));
      await store.commit([generation === 0 ? { key: keyOf(key), remove: true } : { key: keyOf(key), put }]);
    },
  };
}
