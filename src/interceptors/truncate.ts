import { create } from "@bufbuild/protobuf";
import { TruncationSchema } from "../../gen/handrail/v1/result_pb.js";
import type { ContentPart, Result } from "../../gen/handrail/v1/result_pb.js";
import type { Interceptor } from "@connectrpc/connect";
import type { ExecuteToolResponse } from "../../gen/handrail/v1/tool_service_pb.js";
import { kAdmitted } from "../calls/call-context.js";
import type { Keep } from "../calls/call.js";
import { truncateText } from "../text/truncate.js";
import { onExecuteTool } from "./execute-tool.js";
import { mapIterable } from "./map-iterable.js";

/**
 * Cuts the text of a result to the cap of its call. All text parts share the cap, in order. A result that its tool cut
 * at the source, under the same cap, is left as it is.
 */
export function truncate(): Interceptor {
  return onExecuteTool(async ({ request }, next) => {
    const limits = request.contextValues.get(kAdmitted)?.limits;
    const response = await next(request);
    if (limits === undefined) return response;
    const message = mapIterable(response.message as AsyncIterable<ExecuteToolResponse>, (item) => {
      const event = item.event?.event;
      if (event?.case === "result") cutResult(event.value, limits.maxTextBytes, limits.keep);
      return item;
    });
    return { ...response, message };
  });
}

function cutResult(result: Result, maxBytes: number, keep: Keep = "head"): void {
  if (result.truncation !== undefined) return;
  const texts = result.content.filter(isText);
  const total = texts.reduce((sum, part) => sum + Buffer.byteLength(part.part.value.text), 0);
  if (total <= maxBytes) return;
  const cut = truncateText({ text: texts.map((part) => part.part.value.text), maxBytes, keep });
  const [first] = texts;
  if (first === undefined) return;
  first.part.value.text = cut.text;
  result.content = result.content.filter((part) => part === first || !isText(part));
  result.truncation = create(TruncationSchema, {
    originalBytes: BigInt(cut.originalBytes),
    originalLines: BigInt(cut.originalLines),
    keptBytes: BigInt(cut.keptBytes),
  });
}

type TextContent = ContentPart & { part: { case: "text" } };

function isText(part: ContentPart): part is TextContent {
  return part.part.case === "text";
}
