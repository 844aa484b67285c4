import { link, rm, stat, writeFile } from "node:fs/promises";
import { randomUUID } from "node:crypto";
import type { Sandbox, SandboxKey, SandboxState } from "../provider.js";
import { isMissing, readIfThere, type ProjectLayout } from "./layout.js";

/** The living sandbox of a project, or a new one: at least `nextGeneration`, and above every earlier one. */
export async function adoptOrBegin(
  key: SandboxKey,
  layout: ProjectLayout,
  nextGeneration: number,
): Promise<Sandbox> {
  const living = await readLive(layout);
  if (living !== undefined) return { key, ...living, created: false };
  const last = Number((await readIfThere(layout.generationFile)) ?? "0");
  const generation = Math.max(nextGeneration, Number.isInteger(last) ? last + 1 : 1);
  const begun = { id: randomUUID(), generation };
  const draft = `${layout.liveFile}.${begun.id}`;
  await writeFile(layout.generationFile, String(generation));
  await writeFile(draft, `${begun.id} ${generation}`);
  try {
    await link(draft, layout.liveFile);
    return { key, ...begun, created: true };
  } catch (error) {
    const other = await readLive(layout);
    if (other === undefined) throw error;
    return { key, ...other, created: false };
  } finally {
    await rm(draft, { force: true });
  }
}

/** Running while the directories and the mark of this sandbox exist. */
export async function livingState(sandbox: Sandbox, layout: ProjectLayout): Promise<SandboxState> {
  try {
    await stat(layout.workspace);
    return (await readLive(layout))?.id === sandbox.id ? "running" : "gone";
  } catch (error) {
    return isMissing(error) ? "gone" : "unreachable";
  }
}

/** Ends the life of a sandbox; that of a later one is left alone. */
export async function endLife(sandbox: Sandbox, layout: ProjectLayout): Promise<void> {
  if ((await readLive(layout))?.id === sandbox.id) await rm(layout.liveFile, { force: true });
}

/** The living sandbox; undefined if none lives. */
export async function readLive(
  layout: ProjectLayout,
): Promise<{ id: string; generation: number } | undefined> {
  const [id, generation] = (await readIfThere(layout.liveFile))?.split(" ") ?? [];
  return id === undefined || generation === undefined ? undefined : { id, generation: Number(generation) };
}
