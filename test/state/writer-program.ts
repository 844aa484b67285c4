import { openEmbeddedStore } from "../../src/state/embedded/open-embedded-store.js";

const [directory = "", checkScript = "", first = "0"] = process.argv.slice(2);
const store = await openEmbeddedStore({ directory, checkScript });
let next = Number(first);

/** Writes pairs of records, one commit after the other, and prints the number of each once it is promised. */
async function write(): Promise<never> {
  for (;;) {
    const id = String(next++).padStart(9, "0");
    const put = Buffer.alloc(700, id);
    await store.commit(["left", "right"].map((part) => ({ key: { space: "n", parts: [id, part] }, put })));
    process.stdout.write(`${id}\n`);
  }
}

await Promise.all([write(), write(), write(), write()]);
