import type { LocalIdentity } from "./identity.js";
import type { LocalIsolation } from "./options.js";
import type { LocalProbe } from "./probe.js";

/** What is weaker than in a container, one line each. */
export function localWarnings({
  isolation,
  probe,
  identity,
}: {
  isolation: LocalIsolation;
  probe: LocalProbe;
  identity: LocalIdentity;
}): readonly string[] {
  const limits =
    "local sandboxes have no limit of memory or processes: one project can starve the machine; use Docker for those";
  if (isolation === "bubblewrap") {
    return [
      limits,
      "bubblewrap filters no system calls: the kernel's whole surface is open to commands; use Docker",
    ];
  }
  const owner = identity.drops ? `user ${identity.uid}` : "the service's own user";
  return [
    `NO ISOLATION: commands run on this machine as ${owner}, with all files and the network that this user can reach; ` +
      "listen on loopback only and run only code that you trust",
    ...(probe.reason === "" ? [] : [`${probe.reason}; install bubblewrap or allow user namespaces`]),
    ...(identity.drops
      ? []
      : [
          "commands can read the service's own files; start the service as root to give them a user of their own",
        ]),
    ...(probe.setprivPath === undefined
      ? ["setpriv is not there: set-uid programs work for commands; install util-linux"]
      : []),
    limits,
  ];
}
