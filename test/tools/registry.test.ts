import { describe, expect, it } from "vitest";
import { z } from "zod";
import { textResult } from "../../src/domain/tool-result.js";
import type { Conditions, Requirement } from "../../src/tools/conditions.js";
import { defineTool } from "../../src/tools/define.js";
import { BUILD_EXCLUDED_TOOLS, PLAN_MODE_TOOLS } from "../../src/tools/plan-mode.js";
import { ToolRegistry, createAllTools, filterToolsForPlanMode } from "../../src/tools/registry.js";

const nothing: Conditions = {
  projectId: "",
  userId: "",
  mcpEnabled: false,
  connectorsAllowed: false,
  environment: new Set(),
};

const toolNamed = (name: string, requires: readonly Requirement[] = []) =>
  defineTool({
    name,
    description: "a tool for tests",
    input: z.strictObject({}),
    effect: "none",
    requires,
    run: () => Promise.resolve(textResult("done")),
  });

const allTools = () =>
  createAllTools({
    bash: { defaultTimeoutMs: 1000, maxTimeoutMs: 2000 },
    read: { preparePicture: () => Promise.reject(new Error("no picture in this test")) },
  });

const available = (registry: ToolRegistry, mode: "plan" | "build", conditions: Conditions) =>
  registry.list(mode, conditions).available.map(({ name }) => name);

describe("plan mode", () => {
  it("has exactly these 14 tools", () => {
    expect([...PLAN_MODE_TOOLS].sort()).toEqual([
      "ask_user",
      "db_schema",
      "exit_plan_mode",
      "glob",
      "grep",
      "list_files",
      "mcp_call",
      "mcp_list",
      "read",
      "read_runtime_errors",
      "spawn_subagent",
      "use_skill",
      "web_scrape",
      "web_search",
    ]);
  });

  it("keeps the tools of the list and no other", () => {
    const tools = [...PLAN_MODE_TOOLS, "bash", "write", "new_tool"].map((name) => toolNamed(name));
    expect(filterToolsForPlanMode(tools).map(({ name }) => name)).toEqual([...PLAN_MODE_TOOLS]);
  });

  it("hides a tool of the list whose condition fails", () => {
    const registry = new ToolRegistry([
      toolNamed("web_search", [{ needs: "environment", variable: "TAVILY_API_KEY" }]),
    ]);
    expect(available(registry, "plan", nothing)).toEqual([]);
    expect(available(registry, "plan", { ...nothing, environment: new Set(["TAVILY_API_KEY"]) })).toEqual([
      "web_search",
    ]);
  });
});

describe("build mode", () => {
  it("is without the tools that exist for plan mode only", () => {
    expect([...BUILD_EXCLUDED_TOOLS].sort()).toEqual(["exit_plan_mode", "list_files"]);
    const registry = new ToolRegistry(
      ["bash", "list_files", "exit_plan_mode"].map((name) => toolNamed(name)),
    );
    expect(available(registry, "build", nothing)).toEqual(["bash"]);
  });
});

describe("ToolRegistry", () => {
  it("admits exactly what it lists, in both modes and for any condition", () => {
    const requirements: Requirement[] = [
      { needs: "project" },
      { needs: "user" },
      { needs: "mcp" },
      { needs: "connectors" },
      { needs: "environment", variable: "FAL_KEY" },
    ];
    const names = ["read", "bash", "exit_plan_mode", "grep", "list_files"];
    const registry = new ToolRegistry(names.map((name, i) => toolNamed(name, requirements.slice(i, i + 1))));
    const conditions: Conditions[] = [
      nothing,
      { ...nothing, projectId: "p" },
      { ...nothing, userId: "u" },
      { ...nothing, mcpEnabled: true, connectorsAllowed: true },
      { ...nothing, environment: new Set(["FAL_KEY"]) },
    ];
    for (const mode of ["plan", "build"] as const) {
      for (const condition of conditions) {
        const admitted = names.filter((name) => !("why" in registry.admit(name, mode, condition)));
        expect(admitted).toEqual(available(registry, mode, condition));
      }
    }
  });

  const conditionCases: [string, Requirement, Partial<Conditions>][] = [
    ["context.project_id", { needs: "project" }, { projectId: "p" }],
    ["context.user_id", { needs: "user" }, { userId: "u" }],
    ["context.mcp_enabled or context.user_id", { needs: "mcp" }, { userId: "u" }],
    ["connectors to be allowed", { needs: "connectors" }, { connectorsAllowed: true }],
    ["FAL_KEY", { needs: "environment", variable: "FAL_KEY" }, { environment: new Set(["FAL_KEY"]) }],
  ];
  for (const [words, requirement, met] of conditionCases) {
    it(`says that a tool needs ${words}`, () => {
      const registry = new ToolRegistry([toolNamed("read", [requirement])]);
      expect(registry.list("build", nothing).unavailable[0]?.reason).toContain(words);
      expect(available(registry, "build", { ...nothing, ...met })).toEqual(["read"]);
    });
  }

  it("refuses two tools of one name", () => {
    expect(() => new ToolRegistry([toolNamed("read"), toolNamed("read")])).toThrow("same name");
  });

  it("lists the tools of this version in a stable order", () => {
    expect(available(new ToolRegistry(allTools()), "build", nothing)).toEqual([
      "bash",
      "write",
      "read",
      "edit",
      "glob",
      "grep",
    ]);
    expect(available(new ToolRegistry(allTools()), "plan", nothing)).toEqual([
      "read",
      "glob",
      "grep",
      "list_files",
    ]);
  });
});

describe("defineTool", () => {
  it("refuses a default limit above the maximum", () => {
    expect(() =>
      defineTool({
        name: "slow",
        description: "",
        input: z.strictObject({}),
        effect: "none",
        limits: { defaultMs: 10, maxMs: 5 },
        run: () => Promise.resolve(textResult("")),
      }),
    ).toThrow("above its maximum");
  });

  it("does not run a tool without a port that it needs", async () => {
    const tool = defineTool({
      name: "needy",
      description: "",
      input: z.strictObject({}),
      effect: "read",
      needs: ["workspace"],
      run: () => Promise.resolve(textResult("")),
    });
    const prepared = tool.prepare({});
    if ("issues" in prepared) throw new Error("the arguments fit");
    await expect(
      (async () => {
        await prepared.run({
          callId: "c",
          attempt: 1,
          signal: new AbortController().signal,
          runLimitMs: 0,
          killGraceMs: 0,
          spoolBytes: 0,
          text: { maxBytes: 10, keep: undefined },
          begin: () => undefined,
          output: () => undefined,
          progress: () => undefined,
        });
      })(),
    ).rejects.toThrow("needs the port workspace");
  });
});
