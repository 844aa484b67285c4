import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { NodeStreamableHTTPServerTransport } from "@modelcontextprotocol/node";
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

/** An MCP server with a tool `bash` that spawns a shell of its own user, without a sandbox: what is often built first. */
function makeServer() {
  const server = new McpServer({ name: "bench", version: "1.0.0" });
  server.registerTool(
    "bash",
    { description: "Run a command.", inputSchema: z.object({ command: z.string() }) },
    async ({ command }) => {
      const child = spawn("bash", ["-c", command], { stdio: ["ignore", "pipe", "pipe"] });
      const parts = [];
      child.stdout.on("data", (part) => parts.push(part));
      child.stderr.on("data", (part) => parts.push(part));
      const [code] = await once(child, "close");
      return {
        content: [{ type: "text", text: Buffer.concat(parts).toString() }],
        isError: code !== 0,
      };
    },
  );
  return server;
}

if (process.argv[2] === "stdio") {
  await makeServer().connect(new StdioServerTransport());
} else {
  const listener = createServer(async (request, response) => {
    const transport = new NodeStreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    await makeServer().connect(transport);
    await transport.handleRequest(request, response);
  });
  listener.listen(0, "127.0.0.1", () => process.send?.({ port: listener.address().port }));
}
