import { base64Decode } from "@bufbuild/protobuf/wire";
import type { ConnectError } from "@connectrpc/connect";
import { Code } from "@connectrpc/connect";

import { refusal } from "./refusal.js";

/** Checks the message in the query of a Connect GET request. Answers why it is refused, undefined if it can be read. */
export function checkGetQuery(url: string): ConnectError | undefined {
  const query = new URLSearchParams(url.split("?", 2)[1] ?? "");
  if (query.get("base64") !== "1") return undefined;
  try {
    base64Decode(query.get("message") ?? "");
    return undefined;
  } catch {
    return refusal({
      code: Code.InvalidArgument,
      reason: "INVALID_REQUEST",
      message:
        'query parameter "message" is not base64: encode it as URL-safe base64, or leave out "base64=1"',
    });
  }
}
