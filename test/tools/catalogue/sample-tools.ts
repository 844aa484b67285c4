import { z } from "zod";
import { textResult } from "../../../src/domain/tool-result.js";
import { defineTool } from "../../../src/tools/define.js";
import { createAllTools } from "../../../src/tools/registry.js";

/** A tool with every kind of argument; it answers the arguments that it got. */
export const everyKind = defineTool({
  name: "every_kind",
  description: "Has every kind of argument.",
  input: z.strictObject({
    name: z.string().min(1).max(10).describe("A name."),
    count: z.number().int().min(1).max(9).optional(),
    kind: z.enum(["small", "large"]).optional(),
    maybe: z.string().nullable().optional(),
    target: z.union([z.string(), z.number()]).optional(),
    edits: z.array(z.strictObject({ from: z.string(), all: z.boolean().optional() })).optional(),
  }),
  effect: "write",
  run: (input) => Promise.resolve(textResult(JSON.stringify(input))),
});

/** A tool without arguments. */
export const noArguments = defineTool({
  name: "no_arguments",
  description: "Has no arguments.",
  input: z.strictObject({}),
  effect: "external",
  run: () => Promise.resolve(textResult("")),
});

/** A tool whose keys are not known beforehand. */
export const openKeys = defineTool({
  name: "open_keys",
  description: "Takes any keys.",
  input: z.strictObject({ values: z.record(z.string(), z.string()) }),
  effect: "none",
  run: () => Promise.resolve(textResult("")),
});

/** The tools of the service, and those above. */
export const sampleTools = [
  ...createAllTools({
    bash: { defaultTimeoutMs: 1000, maxTimeoutMs: 2000 },
    read: { preparePicture: () => Promise.reject(new Error("no picture in this test")) },
  }),
  everyKind,
  noArguments,
  openKeys,
];
