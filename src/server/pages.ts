import type { ServingState } from "./serving-state.js";
import type { TextReply } from "./text-reply.js";

/** Options of createPages. */
export interface PagesOptions {
  readonly state: ServingState;
  /** Full names of the services that are served. */
  readonly services: () => readonly string[];
  /** Version of the service. Default: it is left out. */
  readonly version?: string;
  /** URL of the service as its clients see it. */
  readonly url: () => string;
}

/** What a person or a probe gets by plain HTTP. */
export interface Pages {
  /** The answer to a request that is no RPC. */
  reply(method: string, path: string): TextReply;
}

/** The plain pages: `/` tells how to call, `/healthz` whether the service takes calls, all else is not found. */
export function createPages({ state, services, version, url }: PagesOptions): Pages {
  const landing = (): string => {
    const scheme = url().startsWith("https") ? "" : "--http2-prior-knowledge ";
    return [
      `Handrail${version === undefined ? "" : ` ${version}`}: the hands of an agent loop, over gRPC, gRPC-Web and Connect.`,
      "",
      "Services:",
      ...services().map((name) => `  ${name}`),
      "",
      "See what there is, and call it:",
      `  buf curl ${scheme}--list-methods ${url()}`,
      `  buf curl ${scheme}-d '{}' ${url()}/handrail.v1.ToolService/ListTools`,
      `  curl -H 'content-type: application/json' -d '{}' ${url()}/handrail.v1.ToolService/ListTools`,
      "",
      "Health: GET /healthz, or grpc.health.v1.Health. Schema: gRPC server reflection. Metrics: GET /metrics.",
    ].join("\n");
  };
  return {
    reply(method, path) {
      if (method !== "GET" && method !== "HEAD") return notFound(method, path);
      if (path === "/") return { status: 200, text: landing() };
      if (path !== "/healthz") return notFound(method, path);
      return state.draining ? { status: 503, text: "draining" } : { status: 200, text: "ok" };
    },
  };
}

function notFound(method: string, path: string): TextReply {
  const shown = JSON.stringify(path.slice(0, 200));
  return {
    status: 404,
    text: `Handrail has no ${method} ${shown}. GET / tells how to call; gRPC server reflection lists the methods.`,
  };
}
