import { statusError } from "./status.js";

/** Refuses an RPC of the contract that this version does not have. */
export function notImplemented(rpc: string): never {
  throw statusError(
    "NOT_IMPLEMENTED",
    `${rpc} is part of the contract, but this version of the service does not have it`,
  );
}
