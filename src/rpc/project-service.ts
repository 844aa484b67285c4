import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { ProjectSchema, SandboxState } from "../../gen/handrail/v1/project_service_pb.js";
import type { Project, ProjectService } from "../../gen/handrail/v1/project_service_pb.js";
import { abortProject } from "../calls/abort-project.js";
import type { ProjectAbort } from "../calls/abort-project.js";
import type { ProjectKey } from "../calls/call.js";
import type { CallRegistry } from "../calls/call-registry.js";
import type { Epochs } from "../calls/epochs.js";
import type { Recoveries } from "../calls/recoveries.js";
import type { TurnWindows } from "../calls/turn-windows.js";
import { emptyWorkspace } from "../workspace/empty-workspace.js";
import type { Workspace, WorkspaceLook, WorkspaceManager } from "../workspace/workspace.js";
import { filesStatus } from "./files-status.js";
import { notFound, principalOf, requireFields } from "./preconditions.js";
import { downloadFiles, uploadFiles } from "./project-files.js";

/** What ProjectService needs. */
export interface ProjectServiceOptions {
  readonly registry: CallRegistry;
  readonly workspaces: WorkspaceManager;
  readonly windows: TurnWindows;
  readonly epochs: Epochs;
  readonly recoveries: Recoveries;
}

const STATES: Readonly<Record<WorkspaceLook["state"], SandboxState>> = {
  gone: SandboxState.ABSENT,
  running: SandboxState.RUNNING,
  restarting: SandboxState.RUNNING,
  stopped: SandboxState.STOPPED,
  paused: SandboxState.STOPPED,
  unreachable: SandboxState.UNREACHABLE,
};

/** ProjectService as messages over calls and workspaces. */
export function projectService(options: ProjectServiceOptions): ServiceImpl<typeof ProjectService> {
  const { registry, workspaces, epochs, recoveries } = options;

  /** Does something for a project that exists, with its failures as statuses. */
  async function forProject<T>(
    request: { projectId: string },
    context: HandlerContext,
    act: (key: ProjectKey) => Promise<T>,
  ): Promise<T> {
    requireFields(request, ["projectId"]);
    const key = keyOf(request, context);
    try {
      if (!(await registry.knows(key)) && !(await workspaces.exists(key))) throw notFound();
      return await act(key);
    } catch (error) {
      throw filesStatus(error);
    }
  }

  const wake = (key: ProjectKey, { signal }: HandlerContext): Promise<Workspace> =>
    workspaces.getOrCreate(key, { signal });

  const abort = (key: ProjectKey, said: string, { signal }: HandlerContext): Promise<ProjectAbort> =>
    abortProject(options, { key, sessionId: "", said, signal });

  /** Does something that changes files, so that no call after it is given what one before it has read. */
  const changing = async <T>(key: ProjectKey, act: () => Promise<T>): Promise<T> => {
    const mark = epochs.begin(key, "write");
    try {
      return await act();
    } finally {
      mark.end();
    }
  };

  const describe = async (key: ProjectKey): Promise<Project> => {
    const { state, generation, isConnected, lastUsedAtMs } = await workspaces.look(key);
    return create(ProjectSchema, {
      projectId: key.project,
      sandbox: STATES[state],
      generation,
      agentConnected: isConnected,
      callsRunning: registry.running(key).length,
      ...(lastUsedAtMs === undefined ? {} : { lastUsedAt: timestampFromMs(lastUsedAtMs) }),
    });
  };

  return {
    async createProject(request, context) {
      requireFields(request, ["projectId"]);
      const key = keyOf(request, context);
      try {
        const existed = await workspaces.exists(key);
        await wake(key, context);
        return { project: await describe(key), created: !existed };
      } catch (error) {
        throw filesStatus(error);
      }
    },
    getProject: (request, context) =>
      forProject(request, context, async (key) => ({ project: await describe(key) })),
    uploadFiles: (request, context) =>
      forProject(request, context, async (key) => {
        const workspace = await wake(key, context);
        return changing(key, () =>
          uploadFiles(request, {
            workspace,
            callsRunning: () => registry.running(key).length,
            signal: context.signal,
          }),
        );
      }),
    async *downloadFiles(request, context) {
      const workspace = await forProject(request, context, (key) => wake(key, context));
      yield* downloadFiles(request, { workspace, signal: context.signal });
    },
    resetWorkspace: (request, context) =>
      forProject(request, context, async (key) => {
        const aborted = await abort(key, "the workspace is reset", context);
        const workspace = await wake(key, context);
        const entriesRemoved = await changing(key, () => emptyWorkspace(workspace, context.signal));
        return { ...aborted, entriesRemoved };
      }),
    restartSandbox: (request, context) =>
      forProject(request, context, async (key) => {
        const { callsAborted } = await abort(key, "the sandbox is restarted", context);
        await recoveries.reset(key);
        await workspaces.restart(key, { signal: context.signal });
        return { callsAborted, project: await describe(key) };
      }),
    deleteProject: (request, context) =>
      forProject(request, context, async (key) => {
        const { callsAborted } = await abort(key, "the project is deleted", context);
        await workspaces.destroy(key, { signal: context.signal });
        await recoveries.reset(key);
        await registry.forgetProject(key);
        epochs.forget(key);
        return { callsAborted };
      }),
  };
}

function keyOf({ projectId }: { projectId: string }, context: HandlerContext): ProjectKey {
  return { tenant: principalOf(context).tenant, project: projectId };
}
