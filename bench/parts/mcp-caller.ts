import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const program = fileURLToPath(new URL("mcp-server.mjs", import.meta.url));

/** SHLVL keeps bash from taking a socket for a remote login; see Spawner. */
const environment = { PATH: process.env["PATH"] ?? "", SHLVL: "1" };

/** A client of an MCP server of the benchmark, and the server. */
export interface McpCaller {
  /** Runs a command to its end. Rejects unless it succeeds. */
  run(command: string): Promise<void>;
  close(): Promise<void>;
}

/** A server that is a child process of its client, which is the usual way. */
export async function mcpOverStdio(): Promise<McpCaller> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, "stdio"],
    env: environment,
  });
  return caller(transport, () => Promise.resolve());
}

/** A server by Streamable HTTP, without sessions. */
export async function mcpOverHttp(): Promise<McpCaller> {
  const child = fork(program, ["http"], { execArgv: [], env: environment });
  const [{ port }] = (await once(child, "message")) as [{ port: number }];
  const transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`));
  return caller(transport, async () => {
    const ended = once(child, "exit");
    child.kill();
    await ended;
  });
}

async function caller(
  transport: StdioClientTransport | StreamableHTTPClientTransport,
  endServer: () => Promise<void>,
): Promise<McpCaller> {
  const client = new Client({ name: "bench", version: "1.0.0" });
  await client.connect(transport);
  return {
    async run(command) {
      const result = await client.callTool({ name: "bash", arguments: { command } });
      if (result.isError === true) throw new Error(`the MCP server answered ${JSON.stringify(result)}`);
    },
    async close() {
      await client.close();
      await endServer();
    },
  };
}
