import { toJson } from "@bufbuild/protobuf";
import type { DescMessage, JsonValue, MessageShape } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import type { Command } from "commander";
import { ProjectSchema, ProjectService, SandboxState } from "../../gen/handrail/v1/project_service_pb.js";
import type { Project } from "../../gen/handrail/v1/project_service_pb.js";
import { addConnectionOptions, clientOf } from "./connection.js";
import type { ConnectionFlags } from "./connection.js";
import { EXIT } from "./exit-code.js";
import { runAction } from "./run-action.js";
import { Spinner } from "./spinner.js";

interface Done {
  readonly text: string;
  readonly json: JsonValue;
}

type Act = (client: Client<typeof ProjectService>, projectId: string) => Promise<Done>;

const ACTIONS: Readonly<Record<string, { readonly description: string; readonly act: Act }>> = {
  create: {
    description: "make a project and its sandbox",
    async act(client, projectId) {
      const { project, created } = await client.createProject({ projectId });
      return about(project, created ? "made" : "was there already");
    },
  },
  show: {
    description: "say how a project is; wakes nothing",
    async act(client, projectId) {
      return about((await client.getProject({ projectId })).project, "");
    },
  },
  restart: {
    description: "replace the sandbox of a project; the files stay",
    async act(client, projectId) {
      const { project, callsAborted } = await client.restartSandbox({ projectId });
      return about(project, `restarted, ${callsAborted} calls ended`);
    },
  },
  reset: {
    description: "end what runs in a project and remove every file of its workspace",
    async act(client, projectId) {
      const { entriesRemoved, callsAborted } = await client.resetWorkspace({ projectId });
      return {
        text: `${projectId}: emptied, ${entriesRemoved} entries removed, ${callsAborted} calls ended`,
        json: { projectId, entriesRemoved, callsAborted },
      };
    },
  },
  delete: {
    description: "remove a project with its sandbox and all its files",
    async act(client, projectId) {
      const { callsAborted } = await client.deleteProject({ projectId });
      return {
        text: `${projectId}: deleted, ${callsAborted} calls ended`,
        json: { projectId, callsAborted },
      };
    },
  },
};

/** Adds `handrail project create|show|restart|reset|delete`. */
export function addProjectCommand(program: Command): void {
  const project = program.command("project").description("make, look at and remove projects");
  for (const [name, { description, act }] of Object.entries(ACTIONS))
    addConnectionOptions(project.command(name))
      .description(description)
      .argument("<id>", "the project")
      .option("--json", "print what was done as JSON")
      .action((id: string, flags: ConnectionFlags & { json?: true }) =>
        runAction(flags.url, async () => {
          const spinner = new Spinner(process.stderr, `${name} ${id}`);
          const done = await act(clientOf(ProjectService, flags), id).finally(() => spinner.stop());
          console.log(flags.json === true ? JSON.stringify(done.json) : done.text);
          return EXIT.ok;
        }),
      );
}

function about(project: Project | undefined, what: string): Done {
  if (project === undefined) throw new Error("the answer has no project");
  const { projectId, sandbox, generation, agentConnected, callsRunning } = project;
  const state = SandboxState[sandbox].toLowerCase();
  const agent = agentConnected ? "agent connected" : "agent asleep";
  const parts = [
    what,
    `sandbox ${state}`,
    `generation ${generation}`,
    agent,
    `${callsRunning} calls running`,
  ];
  return {
    text: `${projectId}: ${parts.filter((part) => part !== "").join(", ")}`,
    json: jsonOf(ProjectSchema, project),
  };
}

function jsonOf<D extends DescMessage>(schema: D, message: MessageShape<D>): JsonValue {
  return toJson(schema, message, { alwaysEmitImplicit: true });
}
