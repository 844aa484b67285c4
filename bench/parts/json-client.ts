import { randomUUID } from "node:crypto";
import { Agent, request } from "node:http";

/** Calls RunTool as curl does: JSON over HTTP/1.1 by the Connect protocol, on connections that are kept. */
export class JsonClient {
  readonly #url: URL;
  readonly #project: string;
  readonly #agent = new Agent({ keepAlive: true });

  constructor(url: string, project: string) {
    this.#url = new URL("/handrail.v1.ToolService/RunTool", url);
    this.#project = project;
  }

  /** Runs a tool to its end. Rejects unless it is OK. */
  async run(tool: string, args: Readonly<Record<string, unknown>>): Promise<void> {
    const body = JSON.stringify({
      context: { projectId: this.#project, turnId: randomUUID() },
      tool,
      callId: randomUUID(),
      argumentsJson: JSON.stringify(args),
    });
    const answer = await this.#post(body);
    const { result } = JSON.parse(answer) as { result?: { outcome?: string } };
    if (result?.outcome !== "OUTCOME_OK") throw new Error(`RunTool answered ${answer.slice(0, 500)}`);
  }

  close(): void {
    this.#agent.destroy();
  }

  #post(body: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
      const sent = request(this.#url, { method: "POST", agent: this.#agent, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.once("error", reject);
        response.once("end", () => resolve(Buffer.concat(chunks).toString()));
      });
      sent.once("error", reject);
      sent.end(body);
    });
  }
}
