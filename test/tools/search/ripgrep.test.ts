import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import {
  AgentErrorSchema,
  ErrorKind,
  FileKind,
  StatResponseSchema,
} from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import type { ToolResult } from "../../../src/domain/tool-result.js";
import { AgentFailure } from "../../../src/sandbox/channel/agent-client.js";
import { grep } from "../../../src/tools/search/grep.js";
import type { Workspace } from "../../../src/workspace/workspace.js";

const notUsed = () => Promise.reject(new Error("not used in this test"));

/** A workspace in which no program starts, for one reason. */
function workspaceWithout(kind: ErrorKind): Workspace {
  return {
    generation: 1,
    root: "/workspace",
    home: "/home/agent",
    files: {
      readLines: notUsed,
      readAll: notUsed,
      readRange: notUsed,
      writeFile: notUsed,
      listTree: notUsed,
      stat: () => Promise.resolve(create(StatResponseSchema, { kind: FileKind.DIRECTORY })),
    },
    processes: {
      run: () => Promise.reject(new AgentFailure(create(AgentErrorSchema, { kind, message: "rg" }))),
      killAll: notUsed,
    },
    leftRuns: () => Promise.resolve(0),
    dial: notUsed,
    takeNotices: () => [],
  };
}

function grepIn(workspace: Workspace): Promise<ToolResult> {
  const prepared = grep.prepare({ pattern: "x" });
  if ("issues" in prepared) throw new Error("the arguments fit");
  return prepared.run({
    workspace,
    callId: "c",
    attempt: 1,
    signal: new AbortController().signal,
    runLimitMs: 0,
    killGraceMs: 0,
    spoolBytes: 0,
    text: { maxBytes: 1000, keep: undefined },
    begin: () => undefined,
    output: () => undefined,
    progress: () => undefined,
  });
}

describe("grep", () => {
  it("says to the operator that ripgrep is missing", async () => {
    const { outcome, error } = await grepIn(workspaceWithout(ErrorKind.INVALID));
    expect([outcome, error?.code, error?.fixBy]).toEqual(["tool_error", "grep.ripgrep_missing", "operator"]);
  });

  it("may be tried again when no process can be started", async () => {
    const { error } = await grepIn(workspaceWithout(ErrorKind.RESOURCES));
    expect([error?.code, error?.retryable]).toEqual(["grep.resources", true]);
  });
});
