import type { ServiceImpl } from "@connectrpc/connect";
import type { SessionService } from "../../gen/handrail/v1/session_service_pb.js";
import { abortProject } from "../calls/abort-project.js";
import type { CallRegistry } from "../calls/call-registry.js";
import type { TurnWindows } from "../calls/turn-windows.js";
import type { WorkspaceManager } from "../workspace/workspace.js";
import { notImplemented } from "./not-implemented.js";
import { notFound, principalOf, requireFields } from "./preconditions.js";

/** What SessionService needs. */
export interface SessionServiceOptions {
  readonly registry: CallRegistry;
  readonly workspaces: WorkspaceManager;
  readonly windows: TurnWindows;
}

/** SessionService as messages over calls. */
export function sessionService(options: SessionServiceOptions): ServiceImpl<typeof SessionService> {
  return {
    getSession: () => notImplemented("GetSession"),
    setMode: () => notImplemented("SetMode"),
    watchSession: () => notImplemented("WatchSession"),
    listPendingInputs: () => notImplemented("ListPendingInputs"),
    async abortProject(request, context) {
      requireFields(request, ["projectId"]);
      const key = { tenant: principalOf(context).tenant, project: request.projectId };
      if (!(await options.registry.knows(key))) throw notFound();
      const { sessionId, reason: said } = request;
      return abortProject(options, { key, sessionId, said, signal: context.signal });
    },
  };
}
