import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { AgentService } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import type {
  ReadBytesResponse,
  ReadLinesResponse,
} from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { AgentFailure } from "../../../src/sandbox/channel/agent-client.js";
import type { TestAgent } from "../test-agent.js";

/** Makes a file in the workspace of an agent; answers its name. */
export function put(where: TestAgent, name: string, content: string | Uint8Array): string {
  writeFileSync(join(where.root, name), content);
  return name;
}

/** The lines of a response as text. */
export function text({ lines }: ReadLinesResponse): string[] {
  return lines.map(({ data }) => Buffer.from(data).toString());
}

/** What a request is refused with. */
export async function refusal(promise: Promise<unknown>): Promise<AgentFailure["detail"]> {
  const error = await promise.catch((thrown: unknown) => thrown);
  if (!(error instanceof AgentFailure)) throw new Error(`no AgentFailure: ${String(error)}`);
  return error.detail;
}

/** All responses of ReadBytes. */
export async function readBytes(
  where: TestAgent,
  path: string,
  limits: object = {},
): Promise<ReadBytesResponse[]> {
  const responses: ReadBytesResponse[] = [];
  const stream = where.client.stream(AgentService.method.readBytes, {
    signal: new AbortController().signal,
    onResponse: (response) => void responses.push(response),
  });
  await stream.send({ path, ...limits });
  stream.end();
  await stream.done;
  return responses;
}

/** Their bytes. */
export function joined(responses: readonly ReadBytesResponse[]): Buffer {
  return Buffer.concat(responses.map(({ data }) => data));
}
