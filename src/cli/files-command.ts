import type { Command } from "commander";
import { ProjectService } from "../../gen/handrail/v1/project_service_pb.js";
import { addProjectOptions, clientOf } from "./connection.js";
import type { ProjectFlags } from "./connection.js";
import { EXIT } from "./exit-code.js";
import { pullFiles } from "./pull-files.js";
import { pushFiles } from "./push-files.js";
import { interruptible } from "./interruptible.js";
import { runAction } from "./run-action.js";
import { Spinner } from "./spinner.js";

interface FilesFlags extends ProjectFlags {
  readonly exclude: readonly string[];
  readonly replace?: true;
  readonly json?: true;
}

const addName = (name: string, names: readonly string[]): string[] => [...names, name];

/** Adds `handrail files push` and `handrail files pull`. */
export function addFilesCommand(program: Command): void {
  const files = program.command("files").description("bring files to a workspace and fetch them");
  addProjectOptions(files.command("push"))
    .description("send a directory to the workspace; the project is made if it is not there")
    .argument("<dir>", "directory on this machine")
    .argument("[path]", "directory in the workspace", "")
    .option("--exclude <name>", "leave out what has this name, wherever it is; may be repeated", addName, [])
    .option("--replace", "remove what is at the path first")
    .option("--json", "print what was done as JSON")
    .action((directory: string, path: string, flags: FilesFlags) =>
      runAction(flags.url, () => interruptible((signal) => push(directory, path, flags, signal))),
    );
  addProjectOptions(files.command("pull"))
    .description("fetch a file or directory of the workspace")
    .argument("<path>", "file or directory in the workspace; . for all")
    .argument("<target>", "directory on this machine, or a file that ends in .tar, .tar.gz or .tgz")
    .option("--exclude <name>", "leave out what has this name, wherever it is; may be repeated", addName, [])
    .option("--json", "print what was done as JSON")
    .action((path: string, target: string, flags: FilesFlags) =>
      runAction(flags.url, () => interruptible((signal) => pull(path, target, flags, signal))),
    );
}

async function push(
  directory: string,
  path: string,
  flags: FilesFlags,
  signal: AbortSignal,
): Promise<number> {
  const { project, exclude, replace = false, json } = flags;
  const spinner = new Spinner(process.stderr, "sending files");
  try {
    const client = clientOf(ProjectService, flags);
    const done = await pushFiles({
      ...{ client, project, directory, path, exclude, spinner, signal },
      isReplacing: replace,
    });
    spinner.stop();
    if (json === true) console.log(JSON.stringify(done));
    else
      console.log(
        `${done.entries} files, directories and links are in ${path === "" ? "the workspace" : path}`,
      );
    return EXIT.ok;
  } finally {
    spinner.stop();
  }
}

async function pull(path: string, target: string, flags: FilesFlags, signal: AbortSignal): Promise<number> {
  const { project, exclude, json } = flags;
  const spinner = new Spinner(process.stderr, "fetching files");
  try {
    const done = await pullFiles({
      client: clientOf(ProjectService, flags),
      project,
      path,
      target,
      exclude,
      spinner,
      signal,
    });
    spinner.stop();
    for (const warning of done.warnings) console.error(`handrail: ${warning}`);
    if (json === true) console.log(JSON.stringify(done));
    else console.log(`${path} is in ${target} (${done.bytes} bytes as an archive)`);
    return EXIT.ok;
  } finally {
    spinner.stop();
  }
}
