import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { buildLauncher } from "../../../scripts/build-launcher.mjs";
import {
  type CreatedSupervisor,
  createSupervisor,
} from "../../../src/sandbox-agent/supervise/create-supervisor.js";
import { runToExit } from "./recorded-run.js";

async function create(binary?: Uint8Array, name = "d"): Promise<CreatedSupervisor & { directory: string }> {
  const directory = mkdtempSync(join(tmpdir(), `handrail-${name}-`));
  const created = await createSupervisor({ directory, ...(binary && { binary }) });
  onTestFinished(async () => {
    await created.supervisor.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return { ...created, directory };
}

function builtLauncher(): Buffer {
  const outDir = mkdtempSync(join(tmpdir(), "handrail-build-"));
  onTestFinished(() => rmSync(outDir, { recursive: true, force: true }));
  const built = buildLauncher({ outDir });
  if ("reason" in built) throw new Error(`this test needs a C compiler: ${built.reason}`);
  return readFileSync(built.path);
}

describe("createSupervisor", () => {
  it("supervises fully with a launcher that runs", async () => {
    const { supervisor, reducedReason } = await create(builtLauncher());
    expect([supervisor.supervision, reducedReason]).toEqual(["full", ""]);
    expect(await runToExit(supervisor, "echo hi")).toMatchObject({ stdout: "hi\n" });
  });

  const broken: [name: string, binary: Uint8Array | undefined, reason: RegExp][] = [
    ["there is no launcher", undefined, /carries no launcher/],
    [
      "the launcher is for another machine",
      Buffer.from("\x7fELF for a machine of another kind"),
      /another kind of machine/,
    ],
    ["the launcher ends at once", Buffer.from("#!/bin/sh\necho no luck >&2; exit 3\n"), /no luck/],
  ];
  for (const [name, binary, reason] of broken)
    it(`is reduced and says why if ${name}`, async () => {
      const { supervisor, reducedReason } = await create(binary);
      expect(supervisor.supervision).toBe("reduced");
      expect(reducedReason).toMatch(reason);
      expect(await runToExit(supervisor, "echo hi")).toMatchObject({ stdout: "hi\n" });
    });

  it("is reduced if the path of the socket would be too long", async () => {
    const { supervisor, reducedReason } = await create(builtLauncher(), "x".repeat(90));
    expect(supervisor.supervision).toBe("reduced");
    expect(reducedReason).toMatch(/too long/);
  });
});
