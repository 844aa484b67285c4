import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LocalIsolation } from "../../../src/sandbox/local/options.js";
import { createLocalProvider } from "../../../src/sandbox/local/provider.js";
import type { ProviderUnderTest } from "../../contracts/sandbox-provider.js";

/** A directory that every user can pass, and what removes it. */
export async function temporaryDataDir(): Promise<{ dataDir: string; cleanUp: () => Promise<void> }> {
  const dataDir = await mkdtemp(join(tmpdir(), "handrail-local-"));
  await chmod(dataDir, 0o755);
  return { dataDir, cleanUp: () => rm(dataDir, { recursive: true, force: true }) };
}

/** A local provider in a directory of its own. */
export async function localProviderUnderTest(isolation: LocalIsolation): Promise<ProviderUnderTest> {
  const { dataDir, cleanUp } = await temporaryDataDir();
  const make = () => createLocalProvider({ dataDir, isolation });
  return { provider: await make(), again: make, cleanUp };
}
