import { create } from "@bufbuild/protobuf";
import { TextPartSchema, TruncationSchema } from "../../gen/handrail/v1/result_pb.js";
import type { ContentPart, Result } from "../../gen/handrail/v1/result_pb.js";
import type { ArtifactReference } from "../domain/tool-result.js";
import { neutralise } from "../text/neutralise.js";
import { truncateText } from "../text/truncate.js";
import { artifactNotice } from "../tools/artifact-notice.js";
import type { Call } from "./call.js";
import type { EffectiveLimits } from "./limits.js";

/** Most bytes of the structured form in a result. */
const STRUCTURED_BYTES = 256 * 1024;

/** Keeps a long text where the model and programs can read it. Resolves with undefined where there is no such place. */
export type KeepWhole = (
  call: Call,
  what: { kind: "text" | "structured"; data: Uint8Array },
) => Promise<ArtifactReference | undefined>;

/**
 * Makes the text of a result safe to show to a model and cuts it to the cap of its call. All text parts share the cap, in order. A result that its tool cut at
 * the source, under the same cap, is left as it is. A structured form that is too large is left out. What is cut or left
 * out is kept whole beside the result, where there is a place for it.
 */
export async function cutResult(
  result: Result,
  options: { call: Call; limits: EffectiveLimits; keepWhole: KeepWhole },
): Promise<void> {
  neutraliseTexts(result);
  await leaveOutStructured(result, options);
  await cutText(result, options);
}

/** Also of what a tool only quotes, such as a path with an escape sequence in it. Neutral text is left alone. */
function neutraliseTexts(result: Result): void {
  for (const { part } of result.content) {
    if (part.case === "text") part.value.text = neutralise(part.value.text);
  }
  result.notices = result.notices.map((notice) => neutralise(notice));
  if (result.error === undefined) return;
  result.error.message = neutralise(result.error.message);
  result.error.hint = neutralise(result.error.hint);
}

async function leaveOutStructured(
  result: Result,
  { call, keepWhole }: { call: Call; keepWhole: KeepWhole },
): Promise<void> {
  if (Buffer.byteLength(result.structuredJson) <= STRUCTURED_BYTES) return;
  const data = Buffer.from(result.structuredJson);
  result.structuredJson = "";
  result.structuredArtifactId = (await keepWhole(call, { kind: "structured", data }))?.id ?? "";
}

async function cutText(
  result: Result,
  { call, limits, keepWhole }: { call: Call; limits: EffectiveLimits; keepWhole: KeepWhole },
): Promise<void> {
  if (result.truncation !== undefined) return;
  const texts = result.content.filter(isText);
  const whole = texts.map((part) => part.part.value.text);
  const total = whole.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const [first] = texts;
  if (total <= limits.maxTextBytes || first === undefined) return;
  const cut = truncateText({ text: whole, maxBytes: limits.maxTextBytes, keep: limits.keep ?? "head" });
  const artifact = await keepWhole(call, { kind: "text", data: Buffer.from(whole.join("")) });
  first.part.value.text = cut.text;
  result.content = result.content.filter((part) => part === first || !isText(part));
  result.truncation = create(TruncationSchema, {
    originalBytes: BigInt(cut.originalBytes),
    originalLines: BigInt(cut.originalLines),
    keptBytes: BigInt(cut.keptBytes),
    artifactId: artifact?.id ?? "",
  });
  if (artifact !== undefined) tell(result, artifactNotice(artifact));
}

function tell(result: Result, notice: string): void {
  result.notices.push(notice);
  result.content.push({
    $typeName: "handrail.v1.ContentPart",
    part: { case: "text", value: create(TextPartSchema, { text: `[${notice}]` }) },
    altText: "",
  });
}

type TextContent = ContentPart & { part: { case: "text" } };

function isText(part: ContentPart): part is TextContent {
  return part.part.case === "text";
}
