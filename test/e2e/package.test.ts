import { execFile } from "node:child_process";
import { readFile, rm, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import * as grpc from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SANDBOX_KINDS, startTestService } from "../support/service.js";
import type { TestService } from "../support/service.js";

const execute = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));

/** Runs a tool by some client and gives the text of its result. */
type RunTool = (tool: string, args: Record<string, unknown>) => Promise<string>;

/** Prints the help that the package's own code makes for a small program. */
const PROGRAM = `
const { Command } = require("/workspace/package");
const program = new Command("greet").argument("<name>").option("--loud", "shout");
program.configureOutput({ writeOut: (text) => process.stdout.write(text) });
program.outputHelp();
`;

for (const kind of SANDBOX_KINDS) {
  describe(`a real package on ${kind}`, () => {
    let service: TestService;
    let version: string;

    beforeAll(async () => {
      service = await startTestService(kind);
      const folder = await mkdtemp(join(tmpdir(), "handrail-pack-"));
      const source = join(root, "node_modules/commander");
      ({ version } = JSON.parse(await readFile(join(source, "package.json"), "utf8")) as { version: string });
      const { stdout } = await execute("npm", ["pack", "--silent", "--pack-destination", folder, source]);
      const archive = await readFile(join(folder, stdout.trim()), "base64");
      await rm(folder, { recursive: true });
      const { result } = await service.bash(`base64 -d <<'END' | tar xz\n${archive}\nEND`);
      expect(result.exit?.status).toEqual({ case: "code", value: 0 });
    });
    afterAll(() => service.close());

    const clients: [string, () => RunTool][] = [
      ["grpc-js, streaming", () => grpcJsClient(service)],
      ["plain curl, RunTool", () => curlClient(service)],
      ["buf curl by reflection", () => bufCurlClient(service)],
    ];
    for (const [name, client] of clients) {
      it(`is read and run by ${name}`, async () => {
        const run = client();
        const manifest = await run("read", { path: "package/package.json" });
        expect(manifest).toContain(`"version": "${version}"`);
        const help = await run("bash", { command: `cat > greet.cjs <<'E'\n${PROGRAM}\nE\nnode greet.cjs` });
        expect(help).toContain("Usage: greet [options] <name>");
        expect(help).toContain("--loud");
      });
    }
  });
}

interface JsonResult {
  readonly content?: readonly { readonly text?: { readonly text: string } }[];
}

const textOf = (result: JsonResult | undefined): string =>
  (result?.content ?? []).map((part) => part.text?.text ?? "").join("\n");

function requestOf(service: TestService, tool: string, args: Record<string, unknown>): string {
  return JSON.stringify({ context: { projectId: service.project }, tool, arguments: args });
}

function curlClient(service: TestService): RunTool {
  return async (tool, args) => {
    const { stdout } = await execute("curl", [
      "--silent",
      "--show-error",
      "--fail",
      `${service.url}/handrail.v1.ToolService/RunTool`,
      "--header",
      "content-type: application/json",
      "--data",
      requestOf(service, tool, args),
    ]);
    return textOf((JSON.parse(stdout) as { result?: JsonResult }).result);
  };
}

function bufCurlClient(service: TestService): RunTool {
  return async (tool, args) => {
    const { stdout } = await execute(join(root, "node_modules/.bin/buf"), [
      "curl",
      "--protocol",
      "grpc",
      "--http2-prior-knowledge",
      "--data",
      requestOf(service, tool, args),
      `${service.url}/handrail.v1.ToolService/RunTool`,
    ]);
    return textOf((JSON.parse(stdout) as { result?: JsonResult }).result);
  };
}

interface GrpcEvent {
  readonly event?: { readonly result?: JsonResult };
}

function grpcJsClient(service: TestService): RunTool {
  const definition = loadSync("handrail/v1/tool_service.proto", {
    includeDirs: [join(root, "proto")],
    keepCase: true,
    oneofs: true,
  });
  const packages = grpc.loadPackageDefinition(definition) as unknown as {
    handrail: {
      v1: { ToolService: new (address: string, credentials: grpc.ChannelCredentials) => grpc.Client };
    };
  };
  const client = new packages.handrail.v1.ToolService(
    service.url.replace("http://", ""),
    grpc.credentials.createInsecure(),
  ) as grpc.Client & { ExecuteTool: (request: object) => grpc.ClientReadableStream<GrpcEvent> };
  return async (tool, args) => {
    const stream = client.ExecuteTool({
      context: { project_id: service.project },
      tool,
      arguments_json: JSON.stringify(args),
    });
    let result: JsonResult | undefined;
    for await (const { event } of stream as AsyncIterable<GrpcEvent>) result = event?.result ?? result;
    return textOf(result);
  };
}
