import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createDockerProvider } from "../../../src/sandbox/docker/provider.js";
import { containerName } from "../../../src/sandbox/docker/labels.js";
import { newKey } from "../../workspace/workspace-under-test.js";
import { docker, dockerProviderUnderTest, removeInstance, SANDBOX_IMAGE } from "./docker-under-test.js";

const never = new AbortController().signal;

describe("the docker provider in trouble", () => {
  const under = dockerProviderUnderTest();
  const { provider, instance } = under;
  const directory = mkdtempSync(join(tmpdir(), "handrail-docker-"));

  afterAll(async () => {
    await under.cleanUp();
    rmSync(directory, { recursive: true });
  });

  it("says at once that no engine is there", async () => {
    const socketPath = join(directory, "none.sock");
    const absent = createDockerProvider({ image: SANDBOX_IMAGE, instance, socketPath });
    const key = newKey();
    const startedAt = performance.now();
    const failure = { name: "SandboxError", failure: "engine-unreachable" };
    await expect(absent.check(never)).rejects.toMatchObject(failure);
    await expect(absent.getOrCreate(key, { nextGeneration: 1, signal: never })).rejects.toMatchObject(
      failure,
    );
    expect(await absent.state({ key, id: "0".repeat(64), generation: 1, created: false })).toBe(
      "unreachable",
    );
    expect(performance.now() - startedAt).toBeLessThan(500);
  });

  it("gives up on an engine that does not answer", async () => {
    const socketPath = join(directory, "silent.sock");
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(socketPath, resolve));
    const options = { image: SANDBOX_IMAGE, instance, socketPath, requestTimeoutMs: 300 };
    await expect(createDockerProvider(options).check(never)).rejects.toMatchObject({
      failure: "engine-unreachable",
      message: "the Docker engine did not answer within 300 ms",
    });
    silent.close();
  });

  it("names a missing image and what to run, and makes nothing", async () => {
    const image = "handrail-sandbox:absent";
    const bare = createDockerProvider({ image, instance });
    const failure = {
      name: "SandboxError",
      failure: "image-missing",
      hint: "run `npm run image`",
    };
    const key = newKey();
    await expect(bare.check(never)).rejects.toMatchObject(failure);
    await expect(bare.getOrCreate(key, { nextGeneration: 1, signal: never })).rejects.toMatchObject(failure);
    await expect(docker.getContainer(containerName(key, instance)).inspect()).rejects.toThrow(
      /no such container/i,
    );
  });

  it("leaves nothing behind of a sandbox that cannot start", async () => {
    const key = newKey();
    const broken = createDockerProvider({ image: SANDBOX_IMAGE, instance, network: "no-such-network" });
    await expect(broken.getOrCreate(key, { nextGeneration: 1, signal: never })).rejects.toMatchObject({
      name: "SandboxError",
      failure: "not-startable",
    });
    await expect(docker.getContainer(containerName(key, instance)).inspect()).rejects.toThrow(
      /no such container/i,
    );
  });

  it("gives two installations a sandbox each for a project of the same name", async () => {
    const key = newKey();
    const other = createDockerProvider({ image: SANDBOX_IMAGE, instance: `${instance}-other` });
    const theirs = await other.getOrCreate(key, { nextGeneration: 1, signal: never });
    const ours = await provider.getOrCreate(key, { nextGeneration: 1, signal: never });
    expect(ours.id).not.toBe(theirs.id);
    await provider.destroy(key);
    expect(await other.state(theirs)).toBe("running");
    await removeInstance(`${instance}-other`);
  });

  it("does not touch a container of its name that is not its own", async () => {
    const key = newKey();
    const name = containerName(key, instance);
    const foreign = await docker.createContainer({ name, Image: SANDBOX_IMAGE, Cmd: ["sleep", "60"] });
    await expect(provider.getOrCreate(key, { nextGeneration: 1, signal: never })).rejects.toMatchObject({
      failure: "not-startable",
    });
    await expect(provider.destroy(key)).rejects.toMatchObject({ name: "SandboxError" });
    await foreign.remove({ force: true });
  });

  const revivals = {
    stopped: (id: string) => docker.getContainer(id).kill(),
    paused: (id: string) => docker.getContainer(id).pause(),
  };
  for (const [state, bring] of Object.entries(revivals)) {
    it(`says that a ${state} sandbox is ${state}, and revives the same one`, async () => {
      const key = newKey();
      const made = await provider.getOrCreate(key, { nextGeneration: 1, signal: never });
      await bring(made.id);
      expect(await provider.state(made)).toBe(state);
      const found = await provider.getOrCreate(key, { nextGeneration: 2, signal: never });
      expect(found).toMatchObject({ id: made.id, generation: 1, created: false });
      expect(await provider.state(found)).toBe("running");
    });
  }

  it("says what is not running when an agent is to be booted", async () => {
    const made = await provider.getOrCreate(newKey(), { nextGeneration: 1, signal: never });
    await docker.getContainer(made.id).kill();
    await expect(provider.bootAgent(made, { bootScript: "", signal: never })).rejects.toMatchObject({
      failure: "not-startable",
    });
  });

  it("warns of a network of the engine", () => {
    const open = createDockerProvider({ image: SANDBOX_IMAGE, instance, network: "bridge" });
    expect(open.describe().warnings[0]).toContain('the engine network "bridge"');
  });
});
