import { FileKind } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";

/** What tells the kind of a file: the result of a stat, or an entry of a directory. */
interface Typed {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

/** The kind of a file. */
export function fileKind(file: Typed): FileKind {
  if (file.isFile()) return FileKind.FILE;
  if (file.isDirectory()) return FileKind.DIRECTORY;
  return file.isSymbolicLink() ? FileKind.LINK : FileKind.OTHER;
}
