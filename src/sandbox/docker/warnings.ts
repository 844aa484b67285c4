import { isVulnerableRunc, type EngineFacts } from "./engine-facts.js";
import type { DockerSettings } from "./options.js";

/** What is weaker than it could be, one line each. Before the engine was asked only what the settings tell. */
export function dockerWarnings(settings: DockerSettings, facts: EngineFacts | undefined): readonly string[] {
  return [...settingWarnings(settings), ...(facts === undefined ? [] : factWarnings(settings, facts))];
}

function settingWarnings({ network }: DockerSettings): string[] {
  if (network === "none") return [];
  return [
    `sandboxes are on the engine network "${network}": from there commands reach the host's listeners and other ` +
      "sandboxes; set HANDRAIL_SANDBOX_NETWORK to egress or none to close that",
  ];
}

function factWarnings({ runtime }: DockerSettings, facts: EngineFacts): string[] {
  const warnings: string[] = [];
  if (runtime === undefined && isVulnerableRunc(facts.runcVersion ?? "")) {
    warnings.push(
      `runc ${facts.runcVersion ?? "of unknown version"} has known ways out of a container; ` +
        "upgrade to 1.2.8, 1.3.3 or later",
    );
  }
  if (!facts.hasSeccomp) {
    warnings.push(
      "the engine has no seccomp profile: system calls are not filtered; enable its default profile",
    );
  }
  for (const limit of facts.missingLimits) {
    warnings.push(`the engine cannot limit ${limit}: one sandbox can starve the others; enable that cgroup`);
  }
  return warnings;
}
