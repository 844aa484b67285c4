import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AgentPipe, Sandbox, SandboxKey, SandboxProvider } from "../../src/sandbox/provider.js";

/** A provider under test, and another of the same installation that knows nothing of it. */
export interface ProviderUnderTest {
  readonly provider: SandboxProvider;
  readonly again: () => Promise<SandboxProvider>;
  readonly cleanUp: () => Promise<void>;
}

const never = new AbortController().signal;

/** Runs a program text in Node inside the sandbox; resolves with its output. */
async function runNode(provider: SandboxProvider, sandbox: Sandbox, program: string): Promise<string> {
  const agent = await provider.bootAgent(sandbox, { bootScript: program, signal: never });
  let output = "";
  agent.pipe.on("data", (chunk: Buffer) => (output += chunk.toString()));
  agent.pipe.end();
  await once(agent.pipe, "close");
  return output + agent.stderrTail();
}

/** A pipe that answers every byte it gets. */
async function echo(provider: SandboxProvider, sandbox: Sandbox): Promise<AgentPipe> {
  return await provider.bootAgent(sandbox, {
    bootScript: "process.stdin.pipe(process.stdout)",
    signal: never,
  });
}

/** What every sandbox provider does. */
export function describeSandboxProvider(name: string, make: () => Promise<ProviderUnderTest>): void {
  describe(`${name} as a sandbox provider`, () => {
    let under: ProviderUnderTest;
    let provider: SandboxProvider;
    const keys: SandboxKey[] = [];

    const newKey = (): SandboxKey => {
      const key = { tenant: `test-${randomUUID()}`, project: "project" };
      keys.push(key);
      return key;
    };
    const getOrCreate = (key: SandboxKey, nextGeneration = 1): Promise<Sandbox> =>
      provider.getOrCreate(key, { nextGeneration, signal: never });

    beforeAll(async () => {
      under = await make();
      provider = under.provider;
    });

    afterAll(async () => {
      for (const key of keys) await provider.destroy(key);
      await provider.close();
      await under.cleanUp();
    });

    it("is ready", async () => {
      await expect(provider.check(never)).resolves.toBeUndefined();
    });

    it("makes a sandbox once and finds it afterwards", async () => {
      const key = newKey();
      const made = await getOrCreate(key);
      const found = await getOrCreate(key, 7);
      expect(made).toMatchObject({ key, generation: 1, created: true });
      expect(found).toMatchObject({ id: made.id, generation: 1, created: false });
    });

    it("gives one sandbox to five who ask at once", async () => {
      const key = newKey();
      const all = await Promise.all([1, 2, 3, 4, 5].map(() => getOrCreate(key)));
      expect(new Set(all.map(({ id }) => id)).size).toBe(1);
      expect(all.filter(({ created }) => created)).toHaveLength(1);
    });

    it("adopts the sandbox that another service of the installation made", async () => {
      const key = newKey();
      const made = await getOrCreate(key, 3);
      const other = await under.again();
      const adopted = await other.getOrCreate(key, { nextGeneration: 1, signal: never });
      await other.close();
      expect(adopted).toMatchObject({ id: made.id, generation: 3, created: false });
    });

    it("keeps workspace and home of a project whose sandbox was removed", async () => {
      const key = newKey();
      const first = await getOrCreate(key);
      const { workspace, home } = provider.paths(key);
      const files = JSON.stringify([`${workspace}/kept`, `${home}/kept`]);
      await runNode(provider, first, `for (const f of ${files}) require("fs").writeFileSync(f, "kept ")`);
      await provider.remove(first);
      expect(await provider.state(first)).toBe("gone");
      const second = await getOrCreate(key, 2);
      expect(second).toMatchObject({ generation: 2, created: true });
      expect(second.id).not.toBe(first.id);
      expect(
        await runNode(
          provider,
          second,
          `for (const f of ${files}) process.stdout.write(require("fs").readFileSync(f))`,
        ),
      ).toBe("kept kept ");
    });

    it("lets commands write and run programs in the runtime directory", async () => {
      const key = newKey();
      const sandbox = await getOrCreate(key);
      const { runtime } = provider.paths(key);
      const program = `
        const file = ${JSON.stringify(`${runtime}/hello`)};
        require("fs").writeFileSync(file, "#!/bin/sh\\necho ran", { mode: 0o700 });
        process.stdout.write(require("child_process").execFileSync(file));`;
      expect(await runNode(provider, sandbox, program)).toBe("ran\n");
    });

    it("says that a living sandbox runs", async () => {
      expect(await provider.state(await getOrCreate(newKey()))).toBe("running");
    });

    it("takes the removal of a removed sandbox as a success", async () => {
      const sandbox = await getOrCreate(newKey());
      await Promise.all([provider.remove(sandbox), provider.remove(sandbox), provider.remove(sandbox)]);
      await expect(provider.remove(sandbox)).resolves.toBeUndefined();
    });

    it("refuses to boot an agent in a sandbox that is gone", async () => {
      const sandbox = await getOrCreate(newKey());
      await provider.remove(sandbox);
      await expect(echo(provider, sandbox)).rejects.toMatchObject({ name: "SandboxError", failure: "gone" });
    });

    it("forgets the files of a destroyed project", async () => {
      const key = newKey();
      const { workspace } = provider.paths(key);
      const file = JSON.stringify(`${workspace}/file`);
      await runNode(provider, await getOrCreate(key), `require("fs").writeFileSync(${file}, "")`);
      await provider.destroy(key);
      await provider.destroy(key);
      const program = `process.stdout.write(String(require("fs").existsSync(${file})))`;
      expect(await runNode(provider, await getOrCreate(key), program)).toBe("false");
    });

    it("carries 4 MiB there and back unchanged and half-closes", async () => {
      const { pipe } = await echo(provider, await getOrCreate(newKey()));
      const sent = Buffer.alloc(4 * 1024 * 1024, "0123456789abcdef\0\x01\x02\xff", "latin1");
      const received: Buffer[] = [];
      pipe.on("data", (chunk: Buffer) => received.push(chunk));
      pipe.end(sent);
      await once(pipe, "close");
      expect(Buffer.concat(received).equals(sent)).toBe(true);
    });

    it("holds the agent back while nobody reads", async () => {
      const sandbox = await getOrCreate(newKey());
      const { pipe } = await provider.bootAgent(sandbox, {
        bootScript: `
          const block = Buffer.alloc(65536);
          let written = 0;
          const more = () => { while (written < 4096 && process.stdout.write(block)) written += 1; };
          process.stdout.on("drain", more);
          more();`,
        signal: never,
      });
      await sleep(1500);
      expect(pipe.readableLength).toBeLessThanOrEqual(1024 * 1024);
      pipe.destroy();
      await once(pipe, "close");
    });

    it("keeps the last 4 KiB of the agent's errors", async () => {
      const agent = await provider.bootAgent(await getOrCreate(newKey()), {
        bootScript: 'process.stderr.write("x".repeat(9000) + "the end")',
        signal: never,
      });
      agent.pipe.resume();
      await once(agent.pipe, "close");
      await sleep(50);
      expect(agent.stderrTail()).toMatch(/^x+the end$/);
      expect(agent.stderrTail()).toHaveLength(4096);
    });

    it("runs the agent as an unprivileged user without groups, with a fixed environment", async () => {
      const key = newKey();
      const sandbox = await getOrCreate(key);
      const program = `
        const { env } = process;
        process.stdout.write(JSON.stringify({
          uid: process.getuid(), groups: process.getgroups(), names: Object.keys(env), home: env.HOME,
          status: require("fs").readFileSync("/proc/self/status", "utf8"),
        }))`;
      process.env["OPENAI_API_KEY"] = "canary-of-the-service";
      const text = await runNode(provider, sandbox, program);
      delete process.env["OPENAI_API_KEY"];
      const { uid, groups, names, home, status } = JSON.parse(text) as {
        uid: number;
        groups: number[];
        names: string[];
        home: string;
        status: string;
      };
      expect(uid).toBe(provider.surroundings(key).commandUid);
      expect(uid).not.toBe(0);
      expect(groups).not.toContain(0);
      expect(home).toBe(provider.paths(key).home);
      expect(names).not.toContain("OPENAI_API_KEY");
      expect(names).toEqual(expect.arrayContaining(["HOME", "LANG", "PATH", "USER"]));
      expect(status).toMatch(/^CapEff:\s+0000000000000000$/m);
      expect(status).toMatch(/^NoNewPrivs:\s+1$/m);
    });

    it("gives up when the signal is aborted", async () => {
      const reason = new Error("the caller left");
      const call = provider.getOrCreate(newKey(), { nextGeneration: 1, signal: AbortSignal.abort(reason) });
      await expect(call).rejects.toBe(reason);
    });
  });
}
