import { describe, expect, it } from "vitest";
import { readConfig } from "../../src/config/config.js";
import { ConfigError } from "../../src/config/environment.js";

const read = (environment: Record<string, string>) => readConfig(environment, { isRoot: false });

describe("readConfig", () => {
  it("listens on loopback without any setting", () => {
    expect(read({}).server).toMatchObject({ host: "127.0.0.1", port: 7430, tokensFile: undefined });
  });

  it("takes an empty variable as absent", () => {
    expect(read({ HANDRAIL_PORT: "" }).server.port).toBe(7430);
  });

  const wrong: [string, string][] = [
    ["HANDRAIL_PORT", "eighty"],
    ["HANDRAIL_PORT", "65536"],
    ["HANDRAIL_PORT", "-1"],
    ["HANDRAIL_SANDBOX", "podman"],
    ["HANDRAIL_INSTANCE", "a b"],
    ["DOCKER_HOST", "tcp://127.0.0.1:2375"],
    ["HANDRAIL_SANDBOX_MEMORY_MIB", "1"],
    ["HANDRAIL_MAX_TEXT_BYTES", "1e6"],
    ["HANDRAIL_BASH_TIMEOUT_MS", "0"],
    ["HANDRAIL_DATA_DIR", "data"],
    ["HANDRAIL_LOG_LEVEL", "loud"],
    ["HANDRAIL_LOCAL_UID", "0"],
    ["HANDRAIL_SANDBOX_NETWORK", "a b"],
    ["HANDRAIL_EGRESS_ALLOW", "http://registry.example/"],
    ["HANDRAIL_EGRESS_DENY", "10.0.0.0/40"],
    ["HANDRAIL_OUTSIDE_ALLOW_PRIVATE", "10.0.0.0/8,intranet.example"],
    ["HANDRAIL_EGRESS_CONNECTIONS", "0"],
    ["HANDRAIL_EGRESS_IDLE_MS", "1"],
  ];
  for (const [name, value] of wrong) {
    it(`refuses ${name}=${value} in one line that names it`, () => {
      expect(() => read({ [name]: value })).toThrow(ConfigError);
      expect(() => read({ [name]: value })).toThrow(new RegExp(`^${name}: [^\\n]+$`));
    });
  }

  it("does not put the value of a variable into the error", () => {
    expect(() => read({ HANDRAIL_SANDBOX: "s3cr3t-value" })).toThrow(/^((?!s3cr3t).)*$/);
  });

  it("lowers the default time limit to the maximum", () => {
    expect(read({ HANDRAIL_BASH_MAX_TIMEOUT_MS: "5000" }).calls.bash).toEqual({
      defaultTimeoutMs: 5000,
      maxTimeoutMs: 5000,
    });
  });
});
