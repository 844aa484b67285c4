import { ToolSchema } from "@modelcontextprotocol/core";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { ToolFormat } from "../../../gen/handrail/v1/tool_service_pb.js";
import { FORMAT_NAMES, formatterOf } from "../../../src/tools/catalogue/formats.js";
import { everyKind, noArguments, openKeys, sampleTools } from "./sample-tools.js";
import { typeErrors } from "./type-errors.js";

const formatted = (format: ToolFormat) => sampleTools.map((tool) => formatterOf(format)?.(tool));

/** The schema of a sample tool in a format, and what checks arguments against it. */
function strictSchemas() {
  return formatted(ToolFormat.OPENAI_STRICT).map(
    (tool) =>
      (tool as { function: { name: string; strict?: boolean; parameters: Record<string, unknown> } })
        .function,
  );
}

describe("tool formats", () => {
  it("are those of the contract", () => {
    expect(FORMAT_NAMES).toEqual(["JSON_SCHEMA", "OPENAI", "OPENAI_STRICT", "ANTHROPIC", "GEMINI", "MCP"]);
  });

  it("JSON_SCHEMA holds schemas that the meta-schema of 2020-12 accepts", () => {
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
    for (const tool of formatted(ToolFormat.JSON_SCHEMA)) {
      const { input_schema: schema } = tool as { input_schema: Record<string, unknown> };
      expect(schema["$schema"]).toBe("https://json-schema.org/draft/2020-12/schema");
      expect([ajv.validateSchema(schema), ajv.errors]).toEqual([true, null]);
    }
  });

  it("JSON_SCHEMA takes exactly the arguments that the tool takes", () => {
    const { input_schema: schema } = formatterOf(ToolFormat.JSON_SCHEMA)?.(everyKind) as {
      input_schema: Record<string, unknown>;
    };
    const validate = new Ajv2020({ allowUnionTypes: true }).compile(schema);
    for (const sample of [
      { name: "a" },
      { name: "" },
      { name: "a", count: 0 },
      { name: "a", count: 5, kind: "small", edits: [{ from: "x" }] },
      { name: "a", other: 1 },
      { name: "a", edits: [{}] },
      {},
    ]) {
      expect([sample, validate(sample)]).toEqual([sample, everyKind.input.safeParse(sample).success]);
    }
  });

  it("MCP is accepted by the protocol's own schema", () => {
    for (const tool of formatted(ToolFormat.MCP)) {
      const parsed = ToolSchema.parse(tool);
      expect(parsed).toEqual(tool);
    }
    const hints = formatted(ToolFormat.MCP).map((tool) => ToolSchema.parse(tool).annotations?.readOnlyHint);
    expect(hints).toEqual(sampleTools.map(({ effect }) => effect === "read" || effect === "none"));
  });

  it("OPENAI, ANTHROPIC and GEMINI fit the types of the official libraries", { timeout: 60_000 }, () => {
    const gemini = JSON.stringify(formatted(ToolFormat.GEMINI)).replace(
      /"type":"([A-Z]+)"/g,
      '"type":Type.$1',
    );
    const source = [
      `import type { ChatCompletionFunctionTool } from "openai/resources/chat/completions";`,
      `import type { Tool } from "@anthropic-ai/sdk/resources/messages";`,
      `import { Type } from "@google/genai";`,
      `import type { FunctionDeclaration } from "@google/genai";`,
      `export const a: ChatCompletionFunctionTool[] = ${JSON.stringify(formatted(ToolFormat.OPENAI))};`,
      `export const b: ChatCompletionFunctionTool[] = ${JSON.stringify(formatted(ToolFormat.OPENAI_STRICT))};`,
      `export const c: Tool[] = ${JSON.stringify(formatted(ToolFormat.ANTHROPIC))};`,
      `export const d: FunctionDeclaration[] = ${gemini};`,
    ];
    expect(typeErrors(source.join("\n"))).toEqual([]);
    expect(typeErrors([...source, `export const e: Tool = { name: 1 };`].join("\n"))).not.toEqual([]);
  });

  it("GEMINI has nothing that its reduced schema lacks, and no empty object", () => {
    const text = JSON.stringify(formatted(ToolFormat.GEMINI));
    for (const keyword of ["$schema", "additionalProperties", "exclusiveMinimum", "const", "oneOf"]) {
      expect(text).not.toContain(`"${keyword}":`);
    }
    expect(formatterOf(ToolFormat.GEMINI)?.(noArguments)).toEqual({
      name: "no_arguments",
      description: "Has no arguments.",
    });
  });

  it("OPENAI_STRICT requires every key, allows no others and lets optional ones be null", () => {
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
    for (const { name, strict, parameters } of strictSchemas()) {
      expect([name, strict]).toEqual([name, name === openKeys.name ? undefined : true]);
      expect([name, ajv.validateSchema(parameters)]).toEqual([name, true]);
      if (strict !== true) continue;
      expect(parameters["required"]).toEqual(Object.keys(parameters["properties"] as object));
      expect(parameters["additionalProperties"]).toBe(false);
      expect(JSON.stringify(parameters)).not.toMatch(
        /"(minLength|maxLength|minimum|default|\$schema)":|"pattern":"/,
      );
    }
  });

  it("OPENAI_STRICT arguments with null for what is left out are taken", async () => {
    const schema = strictSchemas().find(({ name }) => name === everyKind.name)?.parameters ?? {};
    const sample = {
      name: "a",
      count: null,
      kind: null,
      maybe: null,
      target: null,
      edits: [{ from: "x", all: null }],
    };
    expect(new Ajv2020({ allowUnionTypes: true }).compile(schema)(sample)).toBe(true);
    const prepared = everyKind.prepare(sample);
    if ("issues" in prepared) throw new Error(JSON.stringify(prepared.issues));
    const { content } = await prepared.run({
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
    expect(content).toEqual([{ kind: "text", text: '{"name":"a","maybe":null,"edits":[{"from":"x"}]}' }]);
  });

  it("null for a key that is required or not known stays an error", () => {
    for (const sample of [
      { name: null },
      { name: "a", other: null },
      { name: "a", edits: [{ from: null }] },
    ]) {
      expect("issues" in everyKind.prepare(sample)).toBe(true);
    }
    expect("issues" in openKeys.prepare({ values: { a: null } })).toBe(true);
  });
});
