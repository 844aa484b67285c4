import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SANDBOX_KINDS, startTestService } from "../support/service.js";
import type { TestService } from "../support/service.js";
import { hostServer, onHost, proxyProbe, rawProbe, registry } from "./egress-fixture.js";

const BRIDGE = "172.17.0.1";

for (const kind of SANDBOX_KINDS) {
  describe(`a sandbox with the network egress (${kind})`, () => {
    let service: TestService;
    let npm: Awaited<ReturnType<typeof registry>>;

    const printed = async (command: string): Promise<string> => {
      const { stdout, stderr } = await service.bash(command);
      return `${stdout.toString()}${stderr.toString()}`.trim();
    };
    const lines = (message: string) =>
      service.log.filter((line) => line.message === message).map(({ fields }) => fields);

    beforeAll(async () => {
      npm = await registry();
      service = await startTestService(kind, {
        HANDRAIL_OUTSIDE_ALLOW_PRIVATE: npm.rule,
        HANDRAIL_EGRESS_DENY: "denied.example,*.denied.example",
      });
    });
    afterAll(() => service.close());

    it("has no interface but loopback", async () => {
      expect(await printed("tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '")).toBe("lo");
    });

    it("installs a package from the registry", async () => {
      const install =
        "NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt " +
        `npm install --registry ${npm.url} --no-audit --no-fund express >npm.log 2>&1 || cat npm.log; ` +
        `node -e 'console.log(typeof require("express"))'`;
      expect(await printed(install)).toBe("function");
      expect(lines("egress connection ended")[0]).toMatchObject({
        host: npm.host,
        port: 443,
        outcome: "ended",
      });
    });

    it("fetches by curl through the proxy", async () => {
      const status = await printed(`curl -sS -o /dev/null -w '%{http_code}' ${npm.url}express`);
      expect(status).toBe("200");
    });

    if (kind === "docker") {
      it("lets fetch in Node go through the proxy, with the certificates of the system", async () => {
        const script = `fetch("${npm.url}express").then((answer) => console.log(answer.status), console.log)`;
        expect(await printed(`node -e '${script}'`)).toBe("200");
      });
    }

    it("tells the program's user why a connection is refused", async () => {
      expect(await printed("curl -sS https://denied.example/ 2>&1")).toContain("403");
      expect(await printed("curl -sS http://www.denied.example/ 2>&1")).toBe(
        "handrail egress: www.denied.example:80 is denied by the rule *.denied.example",
      );
      expect(lines("egress connection refused")).toContainEqual(
        expect.objectContaining({ host: "denied.example", port: 443, code: "outside.refused" }),
      );
    });

    const targets: [what: string, host: string, port: number][] = [
      ["the metadata address", "169.254.169.254", 80],
      ["the metadata address as a number", "2852039166", 80],
      ["a private range", "10.0.0.1", 80],
      ["another private range", "192.168.1.1", 443],
      ["the metadata address by IPv4-mapped IPv6", "::ffff:169.254.169.254", 80],
      ["IPv6 loopback", "::1", 22],
      ["a unique-local IPv6 address", "fd00:ec2::254", 80],
    ];
    for (const [what, host, port] of targets) {
      it(`cannot reach ${what}, by the proxy or without it`, async () => {
        expect(await printed(`${rawProbe(host, port)}; ${proxyProbe(host, port)}`)).toBe("closed\n403");
      });
    }

    it("cannot reach a listener of the host, on its bridge or its loopback", async () => {
      for (const host of [BRIDGE, "127.0.0.1"]) {
        const { port, visits } = await hostServer(host);
        expect(await onHost(rawProbe(host, port))).toBe("open\n");
        await expect.poll(visits).toBe(1);
        expect(await printed(`${rawProbe(host, port)}; ${proxyProbe(host, port)}`)).toBe("closed\n403");
        expect(await printed(proxyProbe("localhost", port))).toBe("403");
        expect(visits()).toBe(1);
      }
    });

    it("cannot reach a server of another sandbox", async () => {
      const serve = `python3 -m http.server 8123 --bind 0.0.0.0 >/dev/null 2>&1 & sleep 1; ${rawProbe("127.0.0.1", 8123)}`;
      const other = { request: { context: { projectId: `${service.project}-other` } } };
      const { stdout } = await service.run("bash", { command: serve }, other);
      expect(stdout.toString()).toBe("open\n");
      for (const host of ["127.0.0.1", "172.17.0.2", "172.17.0.3"])
        expect(await printed(`${rawProbe(host, 8123)}; ${proxyProbe(host, 8123)}`)).toBe("closed\n403");
    });

    it("answers 502 for a name that does not exist", async () => {
      expect(await printed(proxyProbe("no-such-name.invalid", 443))).toBe("502");
    });
  });

  describe(`a sandbox with the network none (${kind})`, () => {
    it("has no proxy and no variables of one", async () => {
      const service = await startTestService(kind, { HANDRAIL_SANDBOX_NETWORK: "none" });
      try {
        const { stdout } = await service.bash(`env | grep -i proxy; ${rawProbe("127.0.0.1", 3128)}`);
        expect(stdout.toString()).toBe("closed\n");
      } finally {
        await service.close();
      }
    });
  });
}

describe("the network of the engine", () => {
  it("is refused for local sandboxes, which have none", async () => {
    await expect(startTestService("bubblewrap", { HANDRAIL_SANDBOX_NETWORK: "bridge" })).rejects.toThrow(
      /^HANDRAIL_SANDBOX_NETWORK: local sandboxes have no networks of an engine; set egress or none, or use Docker$/,
    );
  });
});
