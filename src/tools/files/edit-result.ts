import type { WriteFileResponse } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { textResult } from "../../domain/tool-result.js";
import type { ToolResult } from "../../domain/tool-result.js";
import type { AppliedEdit } from "../../text/apply-edits.js";
import type { EditableText } from "../../text/editable-text.js";
import { neutralise } from "../../text/neutralise.js";
import { unifiedDiff } from "../../text/unified-diff.js";

/** Longest diff of a result, in UTF-16 units. */
const MAX_DIFF_LENGTH = 8192;

/** What edits did to a file. */
export interface EditDone {
  readonly path: string;
  readonly file: EditableText;
  readonly after: string;
  readonly applied: readonly AppliedEdit[];
  readonly response: WriteFileResponse;
  /** Text budget of the call, in bytes. */
  readonly maxTextBytes: number;
  readonly hasSession: boolean;
}

/** Says where and how edits were made, with a diff. */
export function editResult(done: EditDone): ToolResult {
  const { path, file, applied, response, hasSession } = done;
  const { created, info, workspacePath } = response;
  const shown = JSON.stringify(path);
  const diff = diffOf(done);
  const verb = created ? "Created" : "Edited";
  const head =
    applied.length === 1
      ? `${verb} ${shown}: ${applied.map(describe).join("")}.`
      : [
          `${verb} ${shown} by ${applied.length} edits:`,
          ...applied.map((edit, i) => `${i + 1}. ${describe(edit)}`),
        ].join("\n");
  const notices = [
    ...(applied.some(({ mixesLineEnds }) => mixesLineEnds)
      ? ["the file's lines end in CRLF, but lines of the new text end in LF, so it has both"]
      : []),
    ...(hasSession
      ? []
      : ["without a session it was not checked whether the file had changed since it was read"]),
  ];
  return {
    ...textResult(`${head}\n${diff ?? "[the change is too large to show as a diff]"}`, {
      structured: {
        kind: "edit",
        path: workspacePath === "" ? (info?.path ?? path) : workspacePath,
        created,
        edits: applied.map(({ pass, line, count }) => ({ pass: pass.replaceAll(" ", "_"), line, count })),
        encoding: file.encoding,
        size_bytes: Number(info?.sizeBytes ?? 0n),
        diff: diff ?? null,
      },
    }),
    changes: [{ path: info?.path ?? path, kind: created ? "created" : "modified" }],
    ...(notices.length === 0 ? {} : { notices }),
  };
}

function describe({ pass, line, count }: AppliedEdit): string {
  const more = count === 1 ? "" : ` and ${count - 1} more ${count === 2 ? "place" : "places"}`;
  return `line ${line}${more}, matched ${pass === "exact" ? "exactly" : `with differences in ${pass} overlooked`}`;
}

function diffOf({ path, file, after, maxTextBytes }: EditDone): string | undefined {
  const hunks = unifiedDiff({
    before: file.show(file.text),
    after: file.show(after),
    maxLength: Math.min(MAX_DIFF_LENGTH, Math.floor(maxTextBytes / 2)),
  });
  if (hunks === undefined) return undefined;
  const name = path.replace(/[\r\n]/g, "?").slice(0, 300);
  return neutralise(`--- ${name}\n+++ ${name}\n${hunks.replaceAll("\r", "\\r")}`);
}
