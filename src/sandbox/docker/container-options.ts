import type Docker from "dockerode";
import type { AgentSurroundings, SandboxKey, SandboxPaths } from "../provider.js";
import { mainCommand } from "./main-command.js";
import { containerName, homeVolumeName, LABEL, ownerLabels } from "./labels.js";
import type { DockerSettings } from "./options.js";

/** Where things are inside a container. */
export const CONTAINER_PATHS: SandboxPaths = {
  workspace: "/workspace",
  home: "/home/agent",
  runtime: "/run/handrail",
};

const COMMAND_UID = 1000;

/** User and group of the agent and of commands. */
export const COMMAND_USER = `${COMMAND_UID}:${COMMAND_UID}`;

/** What an agent in a container has to know. */
export function containerSurroundings(settings: DockerSettings): AgentSurroundings {
  return {
    readRoots: ["/"],
    commandUid: COMMAND_UID,
    isUserOwn: true,
    endsWithAgent: false,
    env: {
      PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
      USER: "agent",
      ...settings.env,
    },
  };
}

/** User and group of the main process, which no command can signal. */
const MAIN_USER = "65534:65534";

const RUNTIME_TMPFS = "rw,exec,nosuid,nodev,size=8m,uid=1000,gid=1000,mode=0700";

/** The two volumes of a project and where they are mounted. */
export function projectMounts(key: SandboxKey, instance: string): Docker.MountSettings[] {
  const mount = (name: string, target: string): Docker.MountSettings => ({
    Type: "volume",
    Source: name,
    Target: target,
    VolumeOptions: {
      NoCopy: false,
      Labels: ownerLabels(key, instance),
      DriverConfig: { Name: "local", Options: {} },
    },
  });
  return [
    mount(containerName(key, instance), CONTAINER_PATHS.workspace),
    mount(homeVolumeName(key, instance), CONTAINER_PATHS.home),
  ];
}

/** What every container of the provider has in common: no privilege, no way to gain one, bounded logs. */
export function confinement(settings: DockerSettings): Docker.HostConfig & { CgroupnsMode: "private" } {
  return {
    AutoRemove: false,
    CapDrop: ["ALL"],
    SecurityOpt: ["no-new-privileges"],
    ReadonlyRootfs: true,
    IpcMode: "private",
    CgroupnsMode: "private",
    Memory: settings.memoryBytes,
    MemorySwap: settings.memoryBytes,
    PidsLimit: settings.pidsLimit,
    Ulimits: [{ Name: "core", Soft: 0, Hard: 0 }],
    LogConfig: { Type: "json-file", Config: { "max-size": "1m", "max-file": "1" } },
    RestartPolicy: { Name: "no" },
    ...(settings.runtime === undefined ? {} : { Runtime: settings.runtime }),
  };
}

/** The shape of a sandbox's container. Nothing in it comes from a model or a request. */
export function sandboxContainer({
  key,
  generation,
  settings,
  cpus,
}: {
  key: SandboxKey;
  generation: number;
  settings: DockerSettings;
  /** Processors, no more than the engine has. */
  cpus: number;
}): Docker.ContainerCreateOptions {
  const temporaryBytes = Math.floor(settings.memoryBytes / 4);
  return {
    name: containerName(key, settings.instance),
    Image: settings.image,
    Entrypoint: [],
    Cmd: mainCommand(settings.leaseMs),
    User: MAIN_USER,
    WorkingDir: "/",
    Labels: {
      ...ownerLabels(key, settings.instance),
      [LABEL.generation]: String(generation),
    },
    HostConfig: {
      ...confinement(settings),
      Init: true,
      NanoCpus: Math.round(cpus * 1e9),
      NetworkMode: settings.network,
      Mounts: projectMounts(key, settings.instance),
      Tmpfs: {
        "/tmp": `rw,exec,nosuid,nodev,size=${temporaryBytes},mode=1777`,
        [CONTAINER_PATHS.runtime]: RUNTIME_TMPFS,
      },
    },
  };
}

/** A short-lived container that gives the two volumes of a project to the user of commands, and may do nothing else. */
export function repairContainer(key: SandboxKey, settings: DockerSettings): Docker.ContainerCreateOptions {
  return {
    Image: settings.image,
    Entrypoint: [],
    Cmd: ["chown", COMMAND_USER, CONTAINER_PATHS.workspace, CONTAINER_PATHS.home],
    User: "0:0",
    WorkingDir: "/",
    Labels: ownerLabels(key, settings.instance),
    HostConfig: {
      ...confinement(settings),
      CapAdd: ["CHOWN"],
      NetworkMode: "none",
      Mounts: projectMounts(key, settings.instance),
    },
  };
}

/** The environment of the agent process, in the engine's form. */
export function agentEnvironment(settings: DockerSettings): string[] {
  const env: Record<string, string> = {
    ...containerSurroundings(settings).env,
    HOME: CONTAINER_PATHS.home,
    LANG: "C.UTF-8",
    NODE_OPTIONS: "",
  };
  return Object.entries(env).map(([name, value]) => `${name}=${value}`);
}
