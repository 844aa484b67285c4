import type { BigIntStats } from "node:fs";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { FileInfoSchema } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import type { Place } from "./path-walk.js";

/** What is told of a file. */
export function fileInfo({
  path,
  stat,
}: Pick<Place, "path" | "stat">): MessageInitShape<typeof FileInfoSchema> {
  return {
    path,
    sizeBytes: stat.size,
    mtimeNs: stat.mtimeNs,
    mode: Number(stat.mode & 0o7777n),
    version: fileVersion(stat),
  };
}

/** Names a state of a file: another file, size or time of change is another version. */
export function fileVersion({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(":");
}
