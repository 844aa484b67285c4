/** Time between two looks for an agent, in s, if the lease is not shorter. */
const LOOK_S = 15;

/**
 * The main process of a container: it ends when no agent process has lived for the lease, so that a container whose
 * service died and never returns does not run on. A look is a search of the names of all processes.
 */
export function mainCommand(leaseMs: number): string[] {
  const leaseS = Math.max(1, Math.ceil(leaseMs / 1000));
  const lookS = Math.min(LOOK_S, leaseS);
  const look = "grep -qx handrail-agent /proc/[0-9]*/comm 2>/dev/null";
  const loop = `a=0; while [ $a -lt ${leaseS} ]; do sleep ${lookS}; if ${look}; then a=0; else a=$((a+${lookS})); fi; done`;
  return ["sh", "-c", loop];
}
