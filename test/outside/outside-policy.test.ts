import { describe, expect, it } from "vitest";
import { knownAddress } from "../../src/outside/address.js";
import { readHost } from "../../src/outside/host.js";
import { OutsideError } from "../../src/outside/outside-error.js";
import { OutsidePolicy } from "../../src/outside/outside-policy.js";
import { parseOutsideRule } from "../../src/outside/outside-rule.js";

interface Case {
  readonly allow?: string;
  readonly deny?: string;
  readonly allowPrivate?: string;
  readonly to: string;
  readonly port?: number;
  readonly at?: readonly string[];
}

function judge({ allow = "", deny = "", allowPrivate = "", to, port = 443, at = ["1.1.1.1"] }: Case): string {
  const rules = (text: string) => text.split(" ").filter(Boolean).map(parseOutsideRule);
  const policy = new OutsidePolicy({
    allow: rules(allow),
    deny: rules(deny),
    allowPrivate: rules(allowPrivate),
  });
  const host = readHost(to);
  try {
    policy.checkHost(host, port);
    const known =
      host.address === undefined ? at.flatMap((text) => knownAddress(text) ?? []) : [host.address];
    policy.checkAddresses(host, port, known);
    return "allowed";
  } catch (error) {
    if (error instanceof OutsideError) return error.message;
    throw error;
  }
}

const private10 = "x.example resolves to an address that is not public (private)";

const table: [sentence: string, given: Case, verdict: string][] = [
  ["allows a public host without rules", { to: "x.example" }, "allowed"],
  ["refuses a name at a private address", { to: "x.example", at: ["10.0.0.1"] }, private10],
  [
    "refuses a name of which one address is private",
    { to: "x.example", at: ["1.1.1.1", "10.0.0.1"] },
    private10,
  ],
  [
    "opens no private address by a rule about the name",
    { allow: "x.example", to: "x.example", at: ["10.0.0.1"] },
    private10,
  ],
  [
    "opens no private address by a name in the private list",
    { allowPrivate: "x.example", to: "x.example", at: ["10.0.0.1"] },
    private10,
  ],
  [
    "opens a private address by its network",
    { allowPrivate: "10.0.0.0/8", to: "x.example", at: ["10.0.0.1"] },
    "allowed",
  ],
  ["opens a private address by itself", { allowPrivate: "10.0.0.1:443", to: "10.0.0.1" }, "allowed"],
  [
    "opens it on that port alone",
    { allowPrivate: "10.0.0.1:80", to: "10.0.0.1" },
    "10.0.0.1 is not a public address (private)",
  ],
  [
    "opens no NAT64 spelling of it",
    { allowPrivate: "127.0.0.1", to: "64:ff9b::7f00:1" },
    "64:ff9b::7f00:1 is not a public address (loopback)",
  ],
  ["opens the IPv4-mapped spelling of it", { allowPrivate: "127.0.0.1", to: "::ffff:127.0.0.1" }, "allowed"],
  [
    "lets deny win over allow",
    { allow: "*.example", deny: "x.example", to: "x.example" },
    "x.example:443 is denied by the rule x.example",
  ],
  [
    "lets deny win over the private list",
    { allowPrivate: "10.0.0.0/8", deny: "10.1.0.0/16", to: "10.1.2.3" },
    "10.1.2.3:443 is denied by the rule 10.1.0.0/16",
  ],
  [
    "denies an address inside NAT64",
    { deny: "8.8.8.0/24", to: "64:ff9b::808:808" },
    "64:ff9b::808:808:443 is denied by the rule 8.8.8.0/24",
  ],
  [
    "denies a name by where it is",
    { deny: "1.1.1.0/24", to: "x.example" },
    "x.example:443 is denied by the rule 1.1.1.0/24",
  ],
  [
    "denies one port",
    { deny: "x.example:25", to: "x.example", port: 25 },
    "x.example:25 is denied by the rule x.example:25",
  ],
  ["leaves other ports of a denied port alone", { deny: "x.example:25", to: "x.example" }, "allowed"],
  [
    "refuses what is not among what is allowed",
    { allow: "y.example", to: "x.example" },
    "x.example:443 is not among the hosts that are allowed",
  ],
  ["allows by a suffix", { allow: "*.example", to: "a.b.example" }, "allowed"],
  [
    "takes a suffix for no part of a name",
    { allow: "*.example", to: "badexample" },
    "badexample:443 is not among the hosts that are allowed",
  ],
  [
    "takes a suffix not for the name itself",
    { allow: "*.x.example", to: "x.example" },
    "x.example:443 is not among the hosts that are allowed",
  ],
  ["allows by a network", { allow: "1.1.1.0/24", to: "x.example" }, "allowed"],
  [
    "refuses a name that has an address outside the allowed network",
    { allow: "1.1.1.0/24", to: "x.example", at: ["1.1.1.1", "8.8.8.8"] },
    "x.example:443 is not among the hosts that are allowed",
  ],
  [
    "knows a name in another case and with a final dot",
    { deny: "X.Example.", to: "x.eXample." },
    "x.example:443 is denied by the rule X.Example.",
  ],
  [
    "knows an address in another spelling",
    { deny: "1.1.1.1", to: "0x01010101" },
    "1.1.1.1:443 is denied by the rule 1.1.1.1",
  ],
  ["allows one IPv6 address and port", { allow: "[2606:4700::1]:443", to: "2606:4700::1" }, "allowed"],
];

describe("the policy for the outside", () => {
  for (const [sentence, given, verdict] of table) {
    it(sentence, () => {
      expect(judge(given)).toBe(verdict);
    });
  }

  for (const text of [
    "",
    "*",
    "a*b.example",
    "x.example:0",
    "x.example:70000",
    "10.0.0.0/33",
    "a b",
    "x/y",
    "[::1",
  ]) {
    it(`refuses ${JSON.stringify(text)} as a rule`, () => {
      expect(() => parseOutsideRule(text)).toThrow(RangeError);
    });
  }
});
