import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Content, ToolResult } from "../../src/domain/tool-result.js";
import { defineTool } from "../../src/tools/define.js";
import { chainForTest } from "./chain-fixture.js";
import type { ChainRequest } from "./chain-fixture.js";

const parts = defineTool({
  name: "parts",
  description: "returns parts",
  input: z.object({ texts: z.array(z.string()), structuredBytes: z.number().default(0) }),
  effect: "none",
  run({ texts, structuredBytes }): Promise<ToolResult> {
    const content: Content[] = texts.map((text) => ({ kind: "text", text }));
    const structured = structuredBytes > 0 ? { data: "s".repeat(structuredBytes) } : {};
    return Promise.resolve({ outcome: "ok", content, structured });
  },
});

const capped = (maxTextBytes: number, keep = 0): ChainRequest =>
  ({ limits: { maxTextBytes: BigInt(maxTextBytes), keep } }) as unknown as ChainRequest;

const textsOf = (content: readonly { part: { case?: string | undefined; value?: unknown } }[]): string[] =>
  content.map(({ part }) => (part.case === "text" ? (part.value as { text: string }).text : "?"));

describe("truncation of a result", () => {
  it("lets several texts share one cap and says exactly how much was left out, and where the whole is", async () => {
    const chain = chainForTest({ tools: [parts] });
    const { result, callId } = chain.call("parts", { texts: ["a".repeat(30), "b".repeat(30)] }, capped(40));
    const { content, truncation, notices } = await result;
    expect(textsOf(content)[0]).toBe(`${"a".repeat(30)}${"b".repeat(10)}… [truncated, 20 more bytes]`);
    expect(truncation).toMatchObject({ originalBytes: 60n, keptBytes: 40n, artifactId: `${callId}.text` });
    expect(chain.kept.get(`${callId}.text`)?.toString()).toBe("a".repeat(30) + "b".repeat(30));
    expect(notices.join()).toContain(`/kept/${callId}.text`);
    expect(textsOf(content).at(-1)).toContain(`/kept/${callId}.text`);
  });

  it("keeps the end, or both ends, where the caller says so", async () => {
    const chain = chainForTest({ tools: [parts] });
    const texts = ["0123456789", "abcdefghij"];
    const cut = async (keep: number) =>
      textsOf((await chain.call("parts", { texts }, capped(10, keep)).result).content)[0];
    expect(await cut(1)).toBe("0123456789… [truncated, 10 more bytes]");
    expect(await cut(2)).toBe("… [truncated, 10 more bytes]abcdefghij");
    expect(await cut(3)).toBe("01234… [truncated, 10 more bytes]fghij");
  });

  it("never leaves half a character or half a pair of surrogates", async () => {
    const chain = chainForTest({ tools: [parts] });
    const text = "é😀漢".repeat(4);
    for (let cap = 1; cap < Buffer.byteLength(text); cap += 1) {
      const { content, truncation } = await chain.call("parts", { texts: [text] }, capped(cap)).result;
      const kept = (textsOf(content)[0] ?? "").replace(/… \[truncated, \d+ more bytes\]/, "");
      expect(text.startsWith(kept)).toBe(true);
      expect(kept).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/);
      expect(Buffer.byteLength(kept)).toBe(Number(truncation?.keptBytes));
      expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(cap);
    }
  });

  it("leaves a text of exactly the cap alone, and a cap can only be lowered", async () => {
    const chain = chainForTest({ tools: [parts] });
    expect(
      (await chain.call("parts", { texts: ["x".repeat(40)] }, capped(40)).result).truncation,
    ).toBeUndefined();
    const large = await chain.call("parts", { texts: ["x".repeat(40_000)] }, capped(1_000_000)).result;
    expect(large.truncation).toMatchObject({ originalBytes: 40_000n, keptBytes: 32_768n });
  });

  it("leaves out a structured form that is too large, and says where it is", async () => {
    const chain = chainForTest({ tools: [parts] });
    const call = chain.call("parts", { texts: ["t"], structuredBytes: 300_000 });
    const { structuredJson, structuredArtifactId } = await call.result;
    expect([structuredJson, structuredArtifactId]).toEqual(["", `${call.callId}.structured`]);
    expect(JSON.parse(chain.kept.get(structuredArtifactId)?.toString() ?? "")).toEqual({
      data: "s".repeat(300_000),
    });
  });

  it("shows control characters, escape sequences and bidi overrides of any tool harmless, before the cut", async () => {
    const chain = chainForTest({ tools: [parts] });
    const text = "a\u001b[31mred\u001b[0m\u0007\u202eb\u0000";
    const { content } = await chain.call("parts", { texts: [text, "plain\ttext\n"] }).result;
    expect(textsOf(content)).toEqual(["ared\\x07\\u{202E}b\\x00", "plain\ttext\n"]);
    const shown = "\u001b[1m".repeat(20) + "x";
    const { truncation } = await chain.call("parts", { texts: [shown] }, capped(5)).result;
    expect(truncation).toBeUndefined();
  });

  it("does so in errors that quote what the model sent", async () => {
    const chain = chainForTest({ tools: [parts] });
    const { error, content } = await chain.call("parts\u001b[2J", {}).result;
    const said = [error?.message, error?.hint, ...textsOf(content)].join(" ");
    expect(said).toContain("There is no tool");
    expect(said).not.toMatch(/[\0-\x08\x0b-\x1f]/);
  });
});
