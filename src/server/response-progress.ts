import type { EventEmitter } from "node:events";

import type { NodeResponse } from "./node-exchange.js";
import { isHttp2Response } from "./node-exchange.js";

function onceEither(emitter: EventEmitter, event: string): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      emitter.off(event, settle);
      emitter.off("close", settle);
      resolve();
    };
    emitter.once(event, settle);
    emitter.once("close", settle);
  });
}

/** Resolves once the client has read enough to write on, or is gone. */
export function writableOrClosed(response: NodeResponse): Promise<void> {
  const target = isHttp2Response(response) ? response.stream : response;
  return target.destroyed ? Promise.resolve() : onceEither(target, "drain");
}

/** Resolves once an ended response is handed to the connection, or the client is gone. */
export function writtenOrClosed(response: NodeResponse): Promise<void> {
  const target = isHttp2Response(response) ? response.stream : response;
  return target.destroyed || target.writableFinished ? Promise.resolve() : onceEither(target, "finish");
}

/** True if the client is gone, or the response has been cut off. */
export function isGone(response: NodeResponse): boolean {
  return (isHttp2Response(response) ? response.stream : response).destroyed;
}
