import type { CallContext } from "../../gen/handrail/v1/context_pb.js";
import type { Conditions } from "../tools/conditions.js";

/** What the service itself allows, for the conditions of tools. */
export interface ServiceConditions {
  /** Names of the variables that are set in the service's environment. */
  readonly environment: ReadonlySet<string>;
  readonly mcpEnabled: boolean;
  readonly connectorsAllowed: boolean;
}

/** The conditions of one request: a request narrows what the service allows and never widens it. */
export function conditionsOf(
  service: ServiceConditions,
  context: CallContext | undefined,
  userId: string,
): Conditions {
  return {
    projectId: context?.projectId ?? "",
    userId,
    mcpEnabled: service.mcpEnabled && (context?.mcpEnabled ?? true),
    connectorsAllowed: service.connectorsAllowed && (context?.connectorsAllowed ?? true),
    environment: service.environment,
  };
}
