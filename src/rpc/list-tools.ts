import { Mode } from "../../gen/handrail/v1/context_pb.js";
import { create } from "@bufbuild/protobuf";
import { Effect, ListToolsResponseSchema } from "../../gen/handrail/v1/tool_service_pb.js";
import type { ListToolsRequest, ListToolsResponse } from "../../gen/handrail/v1/tool_service_pb.js";
import { conditionsOf } from "../calls/conditions-of.js";
import type { ServiceConditions } from "../calls/conditions-of.js";
import { effectiveMode, modeMessage } from "../calls/effective-mode.js";
import type { Effect as EffectName } from "../domain/effect.js";
import type { Principal } from "../domain/principal.js";
import { etagOf } from "../tools/catalogue/etag.js";
import { FORMAT_NAMES, formatterOf } from "../tools/catalogue/formats.js";
import type { ToolRegistry } from "../tools/registry.js";
import { statusError } from "./status.js";

const EFFECTS: Readonly<Record<EffectName, Effect>> = {
  none: Effect.NONE,
  read: Effect.READ,
  session: Effect.SESSION,
  write: Effect.WRITE,
  execute: Effect.EXECUTE,
  external: Effect.EXTERNAL,
};

/** Answers which tools a turn may use, by the same rule by which ExecuteTool admits. */
export function listTools(
  request: ListToolsRequest,
  options: { principal: Principal; tools: ToolRegistry; conditions: ServiceConditions },
): ListToolsResponse {
  const format = formatterOf(request.format);
  if (format === undefined) {
    throw statusError(
      "INVALID_REQUEST",
      `there is no tool format ${request.format}; there are ${FORMAT_NAMES.join(", ")}`,
    );
  }
  const { principal, tools, conditions } = options;
  const mode = effectiveMode(request.context?.mode ?? Mode.UNSPECIFIED, undefined);
  const userId = principal.user ?? request.context?.userId ?? "";
  const listed = tools.list(mode, conditionsOf(conditions, request.context, userId));
  const unavailable = request.includeUnavailable
    ? listed.unavailable.map(({ tool, reason }) => ({ name: tool.name, reason }))
    : [];
  const definitions = listed.available.map((tool) => ({
    name: tool.name,
    description: tool.description,
    definitionJson: JSON.stringify(format(tool)),
    effect: tool.effect === undefined ? Effect.BY_ARGUMENTS : EFFECTS[tool.effect],
    defaultRunMs: tool.limits?.defaultMs ?? 0,
    maxRunMs: tool.limits?.maxMs ?? 0,
  }));
  const etag = etagOf([
    mode,
    String(request.format),
    ...definitions.map((definition) => JSON.stringify(definition)),
    ...unavailable.map(({ name, reason }) => `${name}: ${reason}`),
  ]);
  const notModified = request.ifNoneMatch !== "" && request.ifNoneMatch === etag;
  return create(ListToolsResponseSchema, {
    tools: notModified ? [] : definitions,
    unavailable: notModified ? [] : unavailable,
    mode: modeMessage(mode),
    etag,
    notModified,
  });
}
