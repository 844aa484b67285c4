import { parseOutsideRule } from "../outside/outside-rule.js";
import type { OutsideRule } from "../outside/outside-rule.js";
import type { OutsideRules } from "../outside/outside-policy.js";
import { commaList, readEnvironment, wholeNumber } from "./environment.js";
import type { Environment } from "./environment.js";

/** What programs in sandboxes may reach by the proxy, and how much at once. */
export interface EgressConfig {
  readonly rules: OutsideRules;
  /** Connections of one project at once. */
  readonly maxConnections: number;
  /** Longest time for a name and a connection, in ms. */
  readonly connectMs: number;
  /** Longest time without a byte, in ms. */
  readonly idleMs: number;
}

/** Reads HANDRAIL_EGRESS_ALLOW, _DENY, _CONNECTIONS, _CONNECT_MS, _IDLE_MS and HANDRAIL_OUTSIDE_ALLOW_PRIVATE. */
export function readEgressConfig(environment: Environment): EgressConfig {
  const read = readEnvironment(environment, {
    HANDRAIL_EGRESS_ALLOW: rules(() => true, "").default([]),
    HANDRAIL_EGRESS_DENY: rules(() => true, "").default([]),
    HANDRAIL_OUTSIDE_ALLOW_PRIVATE: rules(
      ({ target }) => target.kind === "network",
      "takes addresses and CIDRs only, since a name can come to stand for any address",
    ).default([]),
    HANDRAIL_EGRESS_CONNECTIONS: wholeNumber({ min: 1, max: 512 }).default(128),
    HANDRAIL_EGRESS_CONNECT_MS: wholeNumber({ min: 100, max: 120_000, unit: "ms" }).default(10_000),
    HANDRAIL_EGRESS_IDLE_MS: wholeNumber({ min: 1000, max: 86_400_000, unit: "ms" }).default(300_000),
  });
  return Object.freeze({
    rules: {
      allow: read.HANDRAIL_EGRESS_ALLOW,
      deny: read.HANDRAIL_EGRESS_DENY,
      allowPrivate: read.HANDRAIL_OUTSIDE_ALLOW_PRIVATE,
    },
    maxConnections: read.HANDRAIL_EGRESS_CONNECTIONS,
    connectMs: read.HANDRAIL_EGRESS_CONNECT_MS,
    idleMs: read.HANDRAIL_EGRESS_IDLE_MS,
  });
}

const malformed =
  "takes hosts, *.hosts, addresses and CIDRs, each with :port or without, separated by commas";

function rules(isFit: (rule: OutsideRule) => boolean, words: string) {
  return commaList.transform((names, context): readonly OutsideRule[] => {
    const parsed = names.map(ruleOf);
    const found = parsed.filter((rule) => rule !== undefined);
    if (found.length < parsed.length) context.addIssue({ code: "custom", message: malformed });
    else if (!found.every(isFit)) context.addIssue({ code: "custom", message: words });
    return found;
  });
}

function ruleOf(text: string): OutsideRule | undefined {
  try {
    return parseOutsideRule(text);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
