import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import type { Command } from "commander";
import { Health } from "../../gen/grpc/health/v1/health_pb.js";
import { processEnvironment } from "../config/process-environment.js";
import type { Finding } from "../diagnose.js";
import { VERSION } from "../version.js";
import { EXIT } from "./exit-code.js";

const MARKS = { ok: "ok  ", warn: "warn", fail: "FAIL" } as const;
const ANSWER_MS = 3000;

/** Adds `handrail doctor`. */
export function addDoctorCommand(program: Command): void {
  program
    .command("doctor")
    .description("say what the service needs on this machine, what is missing and how to get it")
    .option("--url <url>", "also ask a running service")
    .option("--json", "print the findings as JSON")
    .action(async ({ url, json }: { url?: string; json?: true }) => {
      const { diagnose } = await import("../diagnose.js");
      const findings = await diagnose(processEnvironment(), { dist: new URL(".", import.meta.url) });
      if (url !== undefined) findings.push(await serviceAt(url));
      if (json === true) console.log(JSON.stringify({ version: VERSION, findings }, null, 2));
      else for (const line of report(findings)) console.log(line);
      process.exitCode = findings.some(({ state }) => state === "fail") ? EXIT.toolError : EXIT.ok;
    });
}

function report(findings: readonly Finding[]): string[] {
  const width = Math.max(...findings.map(({ subject }) => subject.length));
  return findings.flatMap(({ subject, state, found, remedy }) => [
    `${MARKS[state]}  ${subject.padEnd(width)}  ${found}`,
    ...(remedy === "" ? [] : [`${" ".repeat(width + 8)}→ ${remedy}`]),
  ]);
}

async function serviceAt(url: string): Promise<Finding> {
  try {
    const health = createClient(Health, createGrpcTransport({ baseUrl: url }));
    await health.check({}, { timeoutMs: ANSWER_MS });
    return { subject: "service", state: "ok", found: `a service answers at ${url}`, remedy: "" };
  } catch (error) {
    return {
      subject: "service",
      state: "fail",
      found: `no service answers at ${url}: ${error instanceof Error ? error.message : String(error)}`,
      remedy: "start one with: npm start",
    };
  }
}
