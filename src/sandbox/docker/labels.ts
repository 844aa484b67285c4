import type { SandboxKey } from "../provider.js";
import { hashName, sandboxHash } from "../sandbox-name.js";

/** Names of the labels on everything that the provider makes. */
export const LABEL = {
  service: "handrail.service",
  instance: "handrail.instance",
  tenant: "handrail.tenant",
  project: "handrail.project",
  generation: "handrail.generation",
} as const;

/** Name of the container of a project of an installation, and of the volume of its files. */
export function containerName({ tenant, project }: SandboxKey, instance: string): string {
  return `handrail-${hashName(instance, tenant, project)}`;
}

/** Name of the volume of a project's home directory. */
export function homeVolumeName(key: SandboxKey, instance: string): string {
  return `${containerName(key, instance)}-home`;
}

/** Labels that say whose a container or volume is; no name of a tenant or project stands in them. */
export function ownerLabels(key: SandboxKey, instance: string): Record<string, string> {
  return {
    [LABEL.service]: "handrail",
    [LABEL.instance]: instance,
    [LABEL.tenant]: hashName(key.tenant),
    [LABEL.project]: sandboxHash(key),
  };
}

/** True if the labels say that it belongs to this project of this installation. */
export function isOwn(
  labels: Readonly<Record<string, string>> | null | undefined,
  key: SandboxKey,
  instance: string,
): boolean {
  return Object.entries(ownerLabels(key, instance)).every(([name, value]) => labels?.[name] === value);
}

/** The generation in the labels; 1 if there is none that can be read. */
export function generationOf(labels: Readonly<Record<string, string>> | null | undefined): number {
  const generation = Number(labels?.[LABEL.generation]);
  return Number.isInteger(generation) && generation > 0 ? generation : 1;
}
