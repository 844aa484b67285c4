import { create } from "@bufbuild/protobuf";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { AgentErrorSchema } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import type { ErrorKind } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { AgentFailure } from "./agent-client.js";

/** Makes the error that a request fails with. */
export function agentFailure(
  kind: ErrorKind,
  message: string,
  more: Pick<MessageInitShape<typeof AgentErrorSchema>, "near" | "started" | "fileType"> = {},
): AgentFailure {
  return new AgentFailure(create(AgentErrorSchema, { ...more, kind, message }));
}
