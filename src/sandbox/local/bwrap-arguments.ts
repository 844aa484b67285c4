import { lstat, readlink, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { SandboxPaths } from "../provider.js";
import type { LocalIdentity } from "./identity.js";
import { etcDir, isMissing, type ProjectLayout } from "./layout.js";

/** Where things are inside a bubblewrap sandbox. */
export const BWRAP_PATHS: SandboxPaths = {
  workspace: "/workspace",
  home: "/home/agent",
  runtime: "/run/handrail",
};

const SYSTEM_DIRS = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];

/** What programs need of /etc: libraries, names, certificates, alternatives, time. Nothing about users of the machine. */
const ETC_ENTRIES = [
  "alternatives",
  "ca-certificates",
  "ca-certificates.conf",
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "localtime",
  "magic",
  "mime.types",
  "nsswitch.conf",
  "pki",
  "protocols",
  "services",
  "ssl/certs",
  "ssl/openssl.cnf",
  "timezone",
];

const RUNTIME_BYTES = 8 * 1024 * 1024;

/** The machine's part of a sandbox, read once: system directories and the Node installation, all read-only. */
export async function systemArguments(nodePath: string): Promise<string[]> {
  const args = ["--ro-bind", "/usr", "/usr"];
  for (const directory of SYSTEM_DIRS) {
    const target = await linkTarget(directory);
    if (target === "directory") args.push("--ro-bind", directory, directory);
    else if (target !== undefined) args.push("--symlink", target, directory);
  }
  for (const entry of ETC_ENTRIES) args.push("--ro-bind-try", `/etc/${entry}`, `/etc/${entry}`);
  if (!nodePath.startsWith("/usr/")) {
    const prefix = dirname(dirname(nodePath));
    args.push("--ro-bind", prefix, prefix);
  }
  return args;
}

/** All arguments of bubblewrap but the program to run. */
export function bwrapArguments({
  system,
  dataDir,
  layout,
  identity,
  env,
  temporaryBytes,
}: {
  /** From `systemArguments`. */
  system: readonly string[];
  dataDir: string;
  layout: Pick<ProjectLayout, "workspace" | "home">;
  identity: LocalIdentity;
  /** The whole environment inside. */
  env: Readonly<Record<string, string>>;
  temporaryBytes: number;
}): string[] {
  const etc = etcDir(dataDir);
  return [
    "--unshare-all",
    "--unshare-user",
    "--disable-userns",
    "--die-with-parent",
    ...["--uid", String(identity.uid), "--gid", String(identity.gid), "--hostname", "sandbox"],
    ...system,
    ...["--ro-bind", join(etc, "passwd"), "/etc/passwd"],
    ...["--ro-bind", join(etc, "group"), "/etc/group"],
    ...["--ro-bind", join(etc, "hosts"), "/etc/hosts"],
    ...["--proc", "/proc", "--dev", "/dev"],
    ...["--perms", "1777", "--size", String(temporaryBytes), "--tmpfs", "/tmp"],
    ...["--perms", "0700", "--size", String(RUNTIME_BYTES), "--tmpfs", BWRAP_PATHS.runtime],
    ...["--bind", layout.workspace, BWRAP_PATHS.workspace],
    ...["--bind", layout.home, BWRAP_PATHS.home],
    ...["--remount-ro", "/", "--chdir", "/", "--clearenv"],
    ...Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value]),
    "--",
  ];
}

async function linkTarget(path: string): Promise<string | undefined> {
  try {
    const entry = await lstat(path);
    if (entry.isSymbolicLink()) return await readlink(path);
    return (await stat(path)).isDirectory() ? "directory" : undefined;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
