import type { OpenStore } from "./store-bench.js";
import { storeEnds } from "./store-ends.js";
import { storeLists } from "./store-lists.js";
import { storeValues } from "./store-values.js";

/** What every state store does. */
export function stateStoreContract(name: string, open: OpenStore): void {
  storeValues(name, open);
  storeLists(name, open);
  storeEnds(name, open);
}
