import type { MessageInitShape } from "@bufbuild/protobuf";
import type { FileInfoSchema } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import type { Place } from "./path-walk.js";

/** What is told of a file. */
export function fileInfo({ path, stat }: Place): MessageInitShape<typeof FileInfoSchema> {
  return { path, sizeBytes: stat.size, mtimeNs: stat.mtimeNs, mode: Number(stat.mode & 0o7777n) };
}
