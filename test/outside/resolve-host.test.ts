import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createResolveHost } from "../../src/outside/resolve-host.js";
import { dnsServer } from "./dns-server.js";
import { never } from "./local-servers.js";

const six = [0x2606, 0x4700, 0, 0, 0, 0, 0, 0x1111];

describe("how a name is resolved", () => {
  it("gives the addresses of both families, IPv4 first", async () => {
    const server = await dnsServer({ "both.example": { a: "192.0.2.7", aaaa: six } });
    const resolve = createResolveHost({ hostsPath: "/dev/null", servers: [server] });
    expect(await resolve("both.example", never)).toEqual(["192.0.2.7", "2606:4700::1111"]);
  });

  it("gives what there is of one family", async () => {
    const server = await dnsServer({ "four.example": { a: "192.0.2.7" }, "six.example": { aaaa: six } });
    const resolve = createResolveHost({ hostsPath: "/dev/null", servers: [server] });
    expect(await resolve("four.example", never)).toEqual(["192.0.2.7"]);
    expect(await resolve("six.example", never)).toEqual(["2606:4700::1111"]);
  });

  it("takes the hosts file before the name servers", async () => {
    const directory = await mkdtemp(join(tmpdir(), "handrail-hosts-"));
    onTestFinished(() => rm(directory, { recursive: true }));
    const hostsPath = join(directory, "hosts");
    await writeFile(
      hostsPath,
      "::5 Fixed.example\n# 1.1.1.1 fixed.example\n192.0.2.1\tother fixed.example # here\n",
    );
    const server = await dnsServer({ "fixed.example": { a: "192.0.2.7" } });
    const resolve = createResolveHost({ hostsPath, servers: [server] });
    expect(await resolve("fixed.example", never)).toEqual(["192.0.2.1", "::5"]);
  });

  it("says that a name does not exist", async () => {
    const server = await dnsServer({});
    const resolve = createResolveHost({ hostsPath: "/dev/null", servers: [server] });
    await expect(resolve("gone.example", never)).rejects.toMatchObject({
      code: "outside.not_found",
      message: "the name gone.example has no address (ENOTFOUND)",
    });
  });

  it("stops asking when the caller leaves", async () => {
    const server = await dnsServer({ "silent.example": {} });
    const resolve = createResolveHost({ hostsPath: "/dev/null", servers: [server] });
    const leaving = new AbortController();
    const resolved = resolve("silent.example", leaving.signal);
    setTimeout(() => leaving.abort(new Error("left")), 50);
    await expect(resolved).rejects.toThrow("left");
  });
});
