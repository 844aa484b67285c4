import { AgentService } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import type { WriteFileResponse } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import type { TestAgent } from "../test-agent.js";

/** Conditions of a write. */
export interface WriteConditions {
  readonly ifVersion?: string;
  readonly mustCreate?: boolean;
  readonly signal?: AbortSignal;
}

/** Writes a file by an agent. */
export async function write(
  where: TestAgent,
  path: string,
  content: string | Uint8Array,
  { signal = new AbortController().signal, ...conditions }: WriteConditions = {},
): Promise<WriteFileResponse> {
  const responses: WriteFileResponse[] = [];
  const stream = where.client.stream(AgentService.method.writeFile, {
    signal,
    onResponse: (response) => void responses.push(response),
  });
  await stream.send({ message: { case: "start", value: { path, ...conditions } } });
  const bytes = Buffer.from(content);
  for (let at = 0; at < bytes.length; at += 65_536)
    await stream.send({ message: { case: "data", value: bytes.subarray(at, at + 65_536) } });
  stream.end();
  await stream.done;
  const [response] = responses;
  if (response === undefined) throw new Error("the agent answered nothing");
  return response;
}
