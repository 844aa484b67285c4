import { Argument } from "commander";
import type { Command } from "commander";
import { EXIT } from "./exit-code.js";

const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

/** One command with what may follow it. */
interface Node {
  /** Words after `handrail`, such as `files push`. Empty for the program itself. */
  readonly path: string;
  readonly description: string;
  /** Names of commands below it, and its options. */
  readonly words: readonly string[];
}

/** Adds `handrail completion SHELL`, which knows the commands that were added before. */
export function addCompletionCommand(program: Command): void {
  program
    .command("completion")
    .description('print a completion script, for example: eval "$(handrail completion bash)"')
    .addArgument(new Argument("<shell>", "the shell").choices(SHELLS))
    .action((shell: Shell) => {
      console.log(SCRIPTS[shell](nodesOf(program)));
      process.exitCode = EXIT.ok;
    });
}

function nodesOf(command: Command, path = ""): Node[] {
  const options = command.options.flatMap(({ long }) => (long === undefined ? [] : [long]));
  const words = [...command.commands.map((child) => child.name()), ...options, "--help"];
  const below = command.commands.flatMap((child) => nodesOf(child, `${path} ${child.name()}`.trim()));
  return [{ path, description: command.description(), words }, ...below];
}

const SCRIPTS: Readonly<Record<Shell, (nodes: readonly Node[]) => string>> = {
  bash: (nodes) => `_handrail() {
  local path="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path $word" in
${cases(nodes)}
    esac
  done
  case "$path" in
${nodes.map(({ path, words }) => `    "${path}") COMPREPLY=($(compgen -W "${words.join(" ")}" -- "\${COMP_WORDS[COMP_CWORD]}")) ;;`).join("\n")}
  esac
}
complete -o default -F _handrail handrail`,
  zsh: (nodes) => `#compdef handrail
_handrail() {
  local path_="" word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$path_ $word" in
${cases(nodes, "path_")}
    esac
  done
  case "$path_" in
${nodes.map(({ path, words }) => `    "${path}") compadd -- ${words.join(" ")} ;;`).join("\n")}
  esac
  [[ "$PREFIX" == -* ]] || _files
}
compdef _handrail handrail`,
  fish: (nodes) =>
    nodes
      .flatMap(({ path, words }) => {
        const seen = path === "" ? "__fish_use_subcommand" : seenBy(path);
        return words.map((word) => {
          const what = word.startsWith("--") ? `-l ${word.slice(2)}` : `-f -a ${word}`;
          return `complete -c handrail -n '${seen}' ${what}`;
        });
      })
      .join("\n"),
};

function seenBy(path: string): string {
  return path
    .split(" ")
    .map((word) => `__fish_seen_subcommand_from ${word}`)
    .join("; and ");
}

/** A line of a shell's case for each command: it steps from the path before it to its own. */
function cases(nodes: readonly Node[], variable = "path"): string {
  return nodes
    .filter(({ path }) => path !== "")
    .map(({ path }) => {
      const at = path.lastIndexOf(" ");
      const before = at < 0 ? "" : path.slice(0, at);
      return `      "${before} ${path.slice(at + 1)}") ${variable}="${path}" ;;`;
    })
    .join("\n");
}
