import { isMessage } from "@bufbuild/protobuf";
import type { DescMessage, Message } from "@bufbuild/protobuf";
import type { Interceptor } from "@connectrpc/connect";
import { CallContextSchema } from "../../gen/handrail/v1/context_pb.js";
import { describeBadId, isId } from "../domain/ids.js";
import type { Principal, Right } from "../domain/principal.js";
import { kPrincipal } from "../rpc/context-keys.js";
import { statusError } from "../rpc/status.js";
import { takeInput } from "./input.js";

/** The right that each RPC of the public contract needs. */
const RIGHTS: Readonly<Record<string, Right>> = {
  ListTools: "execute",
  ExecuteTool: "execute",
  RunTool: "execute",
  AttachCall: "execute",
  GetCall: "execute",
  CancelCall: "execute",
  ReadArtifact: "execute",
  RespondToInput: "respond",
  GetSession: "execute",
  WatchSession: "execute",
  ListPendingInputs: "execute",
  AbortProject: "execute",
  SetMode: "respond",
  CreateProject: "manage",
  GetProject: "manage",
  UploadFiles: "manage",
  DownloadFiles: "manage",
  ResetWorkspace: "manage",
  RestartSandbox: "manage",
  DeleteProject: "manage",
};

/** Fields that end in `_id` but are only sent back. */
const ECHOED = new Set(["tool_call_id"]);

/** Checks who calls: a principal with the right for the RPC, well-formed ids, and no one else's user id. */
export function identity(): Interceptor {
  return (next) => async (incoming) => {
    if (!incoming.service.typeName.startsWith("handrail.")) return next(incoming);
    const { input, request } = await takeInput(incoming);
    const principal = request.contextValues.get(kPrincipal);
    if (principal === undefined) throw statusError("UNAUTHENTICATED", "no principal came with the request");
    checkRight(principal, request.method.name);
    const violations = badIds(request.method.input, input);
    if (violations.length > 0) {
      const first = violations[0];
      throw statusError("INVALID_REQUEST", `${first?.field ?? ""} ${first?.description ?? ""}`, {
        violations,
      });
    }
    checkUser(principal, input);
    return next(request);
  };
}

function checkRight(principal: Principal, rpc: string): void {
  const right = RIGHTS[rpc];
  if (right === undefined) throw new Error(`no right is set for ${rpc}`);
  if (!principal.rights.has(right)) {
    throw statusError(
      "PERMISSION_DENIED",
      `${rpc} needs the right "${right}", which these credentials lack`,
      {
        metadata: { right },
      },
    );
  }
}

function badIds(schema: DescMessage, input: Message, prefix = ""): { field: string; description: string }[] {
  const found: { field: string; description: string }[] = [];
  for (const field of schema.fields) {
    const value: unknown = (input as unknown as Record<string, unknown>)[field.localName];
    if (field.fieldKind === "message" && isMessage(value, CallContextSchema)) {
      found.push(...badIds(CallContextSchema, value, `${prefix}${field.name}.`));
    }
    if (field.fieldKind !== "scalar" || !field.name.endsWith("_id") || typeof value !== "string") continue;
    if (value === "" || isId(value)) continue;
    if (ECHOED.has(field.name)) {
      if (value.length > 512)
        found.push({ field: prefix + field.name, description: "is longer than 512 characters" });
    } else found.push({ field: prefix + field.name, description: describeBadId(value) });
  }
  return found;
}

function checkUser(principal: Principal, input: Message): void {
  const context: unknown = (input as unknown as Record<string, unknown>)["context"];
  if (!isMessage(context, CallContextSchema)) return;
  if (principal.user !== undefined && context.userId !== "" && context.userId !== principal.user) {
    throw statusError("PERMISSION_DENIED", "context.user_id is not the user of these credentials");
  }
}
