import { SandboxError } from "../provider.js";

/** Who runs the service and who runs commands. */
export interface LocalIdentity {
  /** User and group id of agents and commands. */
  readonly uid: number;
  readonly gid: number;
  /** True if the service is root and gives its rights up for agents. */
  readonly drops: boolean;
}

const DEFAULT_UID = 1000;

/** Decides who runs commands. Throws SandboxError for a user that the service cannot become, and for root. */
export function localIdentity(
  wantedUid: number | undefined,
  own: { uid: number; gid: number },
): LocalIdentity {
  if (own.uid === 0) {
    const uid = wantedUid ?? DEFAULT_UID;
    if (uid === 0) {
      throw new SandboxError("not-startable", "commands may not run as root", {
        hint: "choose an unprivileged user id for local sandboxes",
      });
    }
    return { uid, gid: uid, drops: true };
  }
  if (wantedUid !== undefined && wantedUid !== own.uid) {
    throw new SandboxError(
      "not-startable",
      `commands cannot run as user ${wantedUid}: the service runs as user ${own.uid} and is not root`,
      { hint: "leave the user id of local sandboxes unset, or start the service as root" },
    );
  }
  return { ...own, drops: false };
}
