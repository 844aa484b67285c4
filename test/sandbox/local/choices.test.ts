import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { localIdentity } from "../../../src/sandbox/local/identity.js";
import { createLocalProvider } from "../../../src/sandbox/local/provider.js";
import { temporaryDataDir } from "./local-provider-under-test.js";

describe("who runs the commands of local sandboxes", () => {
  it("is user 1000 where the service is root", () => {
    expect(localIdentity(undefined, { uid: 0, gid: 0 })).toEqual({ uid: 1000, gid: 1000, drops: true });
  });

  it("is the service's own user where it is not", () => {
    expect(localIdentity(undefined, { uid: 501, gid: 20 })).toEqual({ uid: 501, gid: 20, drops: false });
  });

  it("is never root, and nobody whom the service cannot become", () => {
    expect(() => localIdentity(0, { uid: 0, gid: 0 })).toThrow("commands may not run as root");
    expect(() => localIdentity(1000, { uid: 501, gid: 20 })).toThrow("cannot run as user 1000");
  });
});

describe("how local sandboxes are walled", () => {
  let directory: Awaited<ReturnType<typeof temporaryDataDir>>;

  beforeAll(async () => {
    directory = await temporaryDataDir();
  });

  afterAll(() => directory.cleanUp());

  it("is a plain process with a loud warning where bubblewrap does not work", async () => {
    const { dataDir } = directory;
    const provider = await createLocalProvider({ dataDir, bwrapPath: "/bin/false" });
    const { isolation, warnings } = provider.describe();
    expect(isolation).toBe("process");
    expect(warnings[0]).toMatch(/^NO ISOLATION: .*listen on loopback only/);
    expect(warnings[1]).toContain("bubblewrap does not work here: it ended with 1");
  });

  it("is refused where bubblewrap is asked for and does not work", async () => {
    const { dataDir } = directory;
    const asked = createLocalProvider({ dataDir, bwrapPath: "/nonexistent/bwrap", isolation: "bubblewrap" });
    await expect(asked).rejects.toMatchObject({ name: "SandboxError", failure: "not-startable" });
  });

  it("is refused where commands cannot reach the data directory", async () => {
    const closed = join(directory.dataDir, "closed");
    await mkdir(closed);
    await chmod(closed, 0o700);
    const asked = createLocalProvider({ dataDir: join(closed, "data") });
    await expect(asked).rejects.toMatchObject({ hint: `let other users pass: chmod o+x ${closed}` });
  });
});
