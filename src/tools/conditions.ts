/** Something that a tool needs before it may be used. */
export type Requirement =
  /** A variable of the service's environment is set. */
  | { readonly needs: "environment"; readonly variable: string }
  /** The context names a project. */
  | { readonly needs: "project" }
  /** The context names a user. */
  | { readonly needs: "user" }
  /** MCP is enabled, or the context names a user. */
  | { readonly needs: "mcp" }
  /** Connectors are allowed. */
  | { readonly needs: "connectors" };

/** What conditions are judged by. */
export interface Conditions {
  readonly projectId: string;
  readonly userId: string;
  readonly mcpEnabled: boolean;
  readonly connectorsAllowed: boolean;
  /** Names of the variables that are set in the service's environment. */
  readonly environment: ReadonlySet<string>;
}

/** Why a requirement is not met, with the way out; undefined if it is met. */
export function unmet(requirement: Requirement, conditions: Conditions): string | undefined {
  switch (requirement.needs) {
    case "environment":
      return conditions.environment.has(requirement.variable)
        ? undefined
        : `needs ${requirement.variable} in the environment of the service`;
    case "project":
      return conditions.projectId === "" ? "needs context.project_id" : undefined;
    case "user":
      return conditions.userId === "" ? "needs context.user_id" : undefined;
    case "mcp":
      return conditions.mcpEnabled || conditions.userId !== ""
        ? undefined
        : "needs context.mcp_enabled or context.user_id";
    case "connectors":
      return conditions.connectorsAllowed ? undefined : "needs connectors to be allowed";
  }
}

/** Why the first requirement that is not met is not met; undefined if all are met. */
export function firstUnmet(requirements: readonly Requirement[], conditions: Conditions): string | undefined {
  for (const requirement of requirements) {
    const reason = unmet(requirement, conditions);
    if (reason !== undefined) return reason;
  }
  return undefined;
}
