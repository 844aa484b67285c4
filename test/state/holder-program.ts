import { openEmbeddedStore } from "../../src/state/embedded/open-embedded-store.js";

const [directory = "", checkScript = ""] = process.argv.slice(2);
await openEmbeddedStore({ directory, checkScript });
process.stdout.write("open\n");
setInterval(() => undefined, 60_000);
