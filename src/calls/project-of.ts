import type { CallContext } from "../../gen/handrail/v1/context_pb.js";
import type { Principal } from "../domain/principal.js";
import type { ProjectKey } from "./call.js";

/** What stands for the project of a call that names none and has no session. No id can be equal to it. */
const NOWHERE = "~none";

/**
 * The project that a call belongs to: the one that its context names, else a scratch project of the session. Scratch
 * names begin with a tilde, which no id has.
 */
export function projectOf(principal: Principal, context: CallContext | undefined): ProjectKey {
  const project = context?.projectId ?? "";
  const session = context?.sessionId ?? "";
  if (project !== "") return { tenant: principal.tenant, project };
  return { tenant: principal.tenant, project: session === "" ? NOWHERE : `~scratch.${session}` };
}

/** True if the call has no project and no session whose scratch project could serve. */
export function hasNoProject(key: ProjectKey): boolean {
  return key.project === NOWHERE;
}
