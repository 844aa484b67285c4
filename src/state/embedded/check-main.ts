import type { CheckReport } from "./check-report.js";
import { StateDatabase } from "./database.js";
import { codeOf } from "./failure-of.js";
import { MalformedEntry, readAll } from "./read-all.js";

/** Opens the database of a directory, reads all of it, writes to it, and says what became of that. */
async function check(directory: string): Promise<CheckReport> {
  try {
    const database = new StateDatabase(directory);
    const records = readAll(database.tables);
    database.write(({ records: table }) => {
      const key = Buffer.from("check");
      table.putSync(key, key);
      table.removeSync(key);
    });
    await database.close();
    return { outcome: "sound", records };
  } catch (error) {
    const thrown = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    if (thrown instanceof MalformedEntry) return { outcome: "malformed", message };
    return { outcome: "failed", code: codeOf(thrown), message };
  }
}

process.stdout.write(`${JSON.stringify(await check(process.argv[2] ?? ""))}\n`);
