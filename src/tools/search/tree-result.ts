import { FileKind } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import type { ListTreeResponse, TreeEntry } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { textResult } from "../../domain/tool-result.js";
import type { ToolResult } from "../../domain/tool-result.js";
import { fitList } from "./bounded-structured.js";
import { foundPath } from "./shown-path.js";
import { TextRoom } from "./text-room.js";

const KINDS: Readonly<Partial<Record<FileKind, string>>> = {
  [FileKind.FILE]: "file",
  [FileKind.DIRECTORY]: "directory",
  [FileKind.LINK]: "link",
  [FileKind.OTHER]: "other",
};

/** A listing as a tree: directories end in a slash, files have their size, links their target. */
export function treeResult(
  listing: ListTreeResponse,
  options: { shown: string; maxBytes: number; depth: number },
): ToolResult {
  const { entries, omitted, ignored } = listing;
  const room = new TextRoom(options.maxBytes);
  room.add([`${options.shown.replace(/(?<=.)\/+$/, "")}/`]);
  const firstLeftOut = entries.findIndex((entry) => !room.add([row(entry)]));
  const shown = firstLeftOut < 0 ? entries : entries.slice(0, firstLeftOut);
  const left = omitted + entries.length - shown.length;
  const cut = shown.filter((entry) => entry.cut).length;
  const notices = [
    ...(entries.length === 0 && left === 0 ? ["nothing to list"] : []),
    ...(left > 0
      ? [`${left} more entries; list a directory of these, use a smaller depth or raise limit`]
      : []),
    ...(cut > 0
      ? [`… marks ${cut} directories with more in them; raise depth (${options.depth}) or list them`]
      : []),
    ...(ignored > 0 ? [`${ignored} entries left out by ignore rules; set ignored to list them too`] : []),
  ];
  const listed = fitList(shown.map(structured));
  return textResult(room.text(notices), {
    structured: {
      path: options.shown,
      entries: listed,
      entries_left_out: left + shown.length - listed.length,
      ignored,
    },
  });
}

function row({ path, kind, sizeBytes, target, cut }: TreeEntry): string {
  const names = path.split("/");
  const indent = "  ".repeat(names.length);
  const name = foundPath(Buffer.from(names.at(-1) ?? "")).shown;
  switch (kind) {
    case FileKind.DIRECTORY:
      return `${indent}${name}/${cut ? " …" : ""}`;
    case FileKind.LINK:
      return `${indent}${name} -> ${foundPath(Buffer.from(target)).shown}`;
    case FileKind.FILE:
      return `${indent}${name}  ${size(Number(sizeBytes))}`;
    default:
      return `${indent}${name}  (not a regular file)`;
  }
}

function structured({ path, kind, sizeBytes, target, cut }: TreeEntry) {
  return {
    path,
    kind: KINDS[kind] ?? "other",
    ...(kind === FileKind.FILE ? { size_bytes: Number(sizeBytes) } : {}),
    ...(kind === FileKind.LINK ? { target } : {}),
    ...(cut ? { cut } : {}),
  };
}

function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const units = ["KiB", "MiB", "GiB", "TiB"];
  let value = bytes / 1024;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value.toFixed(1)} ${units[unit] ?? ""}`;
}
