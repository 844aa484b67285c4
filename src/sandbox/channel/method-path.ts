import type { DescMethod } from "@bufbuild/protobuf";

/** The `:path` of a method on the channel: `/package.Service/Method`. */
export function methodPath(method: DescMethod): string {
  return `/${method.parent.typeName}/${method.name}`;
}
