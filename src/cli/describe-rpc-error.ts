import { Code, ConnectError } from "@connectrpc/connect";
import { ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb.js";

/** What an RPC error means, in one or two lines, with the way out where there is one. */
export function describeRpcError(error: unknown, url: string): string {
  const status = ConnectError.from(error);
  const [info] = status.findDetails(ErrorInfoSchema);
  if (info !== undefined) return `handrail: ${status.rawMessage} (${info.reason})`;
  if (status.code === Code.Unavailable) {
    return `handrail: no service answers at ${url} (${status.rawMessage})\nStart one with: npm start`;
  }
  return `handrail: ${status.message}`;
}
