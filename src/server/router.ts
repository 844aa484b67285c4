import type { ConnectRouter } from "@connectrpc/connect";
import { createConnectRouter } from "@connectrpc/connect";

import { file_google_rpc_error_details } from "../../gen/google/rpc/error_details_pb.js";
import { Health } from "../../gen/grpc/health/v1/health_pb.js";
import { createHealth } from "./health.js";
import { readableErrors } from "./readable-errors.js";
import { addReflection } from "./reflection.js";
import type { ServerOptions } from "./server-options.js";
import type { ServingState } from "./serving-state.js";

const defaultReadMaxBytes = 4 * 1024 * 1024;

/** What the router needs of the running server. */
export interface RouterParts {
  readonly state: ServingState;
  /** Aborts every call. */
  readonly signal: AbortSignal;
}

/** Makes the router of all services: those of the options, health and reflection. */
export function buildRouter(options: ServerOptions, { state, signal }: RouterParts): ConnectRouter {
  const router = createConnectRouter({
    interceptors: [readableErrors, ...options.interceptors],
    readMaxBytes: options.readMaxBytes ?? defaultReadMaxBytes,
    acceptCompression: [],
    shutdownSignal: signal,
  });
  options.routes(router);
  const services = (): string[] => serviceNames(router);
  router.service(Health, createHealth({ state, services }), { interceptors: [] });
  addReflection(router, {
    services,
    files: () => [...router.handlers.map(({ service }) => service.file), file_google_rpc_error_details],
  });
  return router;
}

/** Full names of the services of a router. */
export function serviceNames(router: ConnectRouter): string[] {
  return [...new Set(router.handlers.map(({ service }) => service.typeName))];
}
