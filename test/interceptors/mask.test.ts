import { describe, expect, it } from "vitest";
import { z } from "zod";
import { textResult, toolError } from "../../src/domain/tool-result.js";
import { defineTool } from "../../src/tools/define.js";
import { chainForTest } from "./chain-fixture.js";
import type { ChainRequest } from "./chain-fixture.js";

const VALUE = "sk-live-0123456789abcdefghij";
const MASK = "[secret:API_KEY]";
const secrets = [{ name: "API_KEY", value: VALUE }];

/** Any four characters in a row of the value give it away. */
const PIECES = Array.from({ length: VALUE.length - 6 }, (_, i) => VALUE.slice(i, i + 7));

function expectNoPiece(text: string): void {
  for (const piece of PIECES) expect(text).not.toContain(piece);
}

/** A tool that prints a text in two chunks and returns it. */
const speak = defineTool({
  name: "speak",
  description: "speaks",
  input: z.object({ text: z.string(), cutAt: z.number().default(0), fails: z.boolean().default(false) }),
  effect: "none",
  run({ text, cutAt, fails }, context) {
    void context.output("stdout", Buffer.from(text.slice(0, cutAt)));
    context.progress(`saying ${text}`);
    void context.output("stdout", Buffer.from(text.slice(cutAt)));
    if (fails) {
      return Promise.resolve(
        toolError({ code: "speak.failed", message: `cannot say ${text}`, hint: `do not say ${text}` }),
      );
    }
    return Promise.resolve({ ...textResult(text, { structured: { text } }), notices: [`said ${text}`] });
  },
});

describe("a secret", () => {
  it("cut at any place between two chunks of output is masked whole in what is seen live", async () => {
    const chain = chainForTest({ tools: [speak], secrets });
    const text = `before ${VALUE} after`;
    for (let cutAt = 0; cutAt <= text.length; cutAt += 1) {
      const events = await chain.call("speak", { text, cutAt }).events;
      const live = events
        .map(({ event }) => (event.case === "output" ? Buffer.from(event.value.data).toString() : ""))
        .join("");
      expect(live).toBe(`before ${MASK} after`);
    }
  });

  it("at any place of a text that is cut leaves no piece, at either end, and none in what is kept whole", async () => {
    const chain = chainForTest({ tools: [speak], secrets });
    for (const keep of [1, 2, 3]) {
      for (let shift = 0; shift <= VALUE.length + 4; shift += 1) {
        const text = `${"x".repeat(shift)}${VALUE}${"y".repeat(60)}${VALUE}${"z".repeat(shift)}`;
        const limits = { limits: { maxTextBytes: 40n, keep } } as unknown as ChainRequest;
        const result = await chain.call("speak", { text, shift }, limits).result;
        expect(result.truncation).toBeDefined();
        expectNoPiece(
          JSON.stringify(result, (_key, value: unknown) => (typeof value === "bigint" ? 0 : value)),
        );
      }
    }
    expect(chain.kept.size).toBeGreaterThan(50);
    for (const whole of chain.kept.values()) {
      expectNoPiece(whole.toString());
      expect(whole.toString()).toContain(MASK);
    }
  });

  it("appears in no part of any event, in success and failure", async () => {
    const chain = chainForTest({ tools: [speak], secrets });
    const forms = [VALUE, Buffer.from(VALUE).toString("base64"), Buffer.from(VALUE).toString("hex")];
    for (const fails of [false, true]) {
      const events = await chain.call("speak", { text: `a ${forms.join(" b ")} c`, fails }).events;
      const all = JSON.stringify(events, (_key, value: unknown) => {
        if (typeof value === "bigint") return String(value);
        return value instanceof Uint8Array ? Buffer.from(value).toString() : value;
      });
      for (const form of forms) expect(all).not.toContain(form);
      expect(all).toContain(MASK);
    }
  });
});
