import { z } from "zod";
import type { StateKey, StateStore } from "../state/store.js";
import type { ProjectKey } from "./call.js";
import type { RecoveryMemory } from "./recoveries.js";

const COUNT = z.object({ count: z.number(), lastAtMs: z.number() });

/** Keeps the counts of recoveries in a state store, for as long as they count. */
export function storedRecoveries(store: StateStore, { quietMs }: { quietMs: number }): RecoveryMemory {
  return {
    async read(key) {
      const record = await store.get(keyOf(key));
      return record === undefined ? undefined : COUNT.parse(JSON.parse(Buffer.from(record.value).toString()));
    },
    async write(key, count) {
      if (count === undefined) {
        await store.commit([{ key: keyOf(key), remove: true }]);
        return;
      }
      const put = Buffer.from(JSON.stringify(count));
      await store.commit([{ key: keyOf(key), put, expiresAtMs: count.lastAtMs + quietMs }]);
    },
  };
}

function keyOf({ tenant, project }: ProjectKey): StateKey {
  return { space: "recovery", parts: [tenant, project] };
}
