import type { ConnectRouter, Interceptor } from "@connectrpc/connect";

import type { Authenticate } from "./authenticate.js";
import type { TlsIdentity } from "./listener.js";
import type { ServerLog } from "./server-log.js";

/** Options of startServer. */
export interface ServerOptions {
  /** Address to listen on. */
  readonly host: string;
  /** Port to listen on. 0 is any free port. */
  readonly port: number;
  /** Serves TLS, with h2 and http/1.1 by ALPN. Default: plain text. */
  readonly tls?: TlsIdentity;
  /** Registers the services. Health and reflection are added by the server. */
  readonly routes: (router: ConnectRouter) => void;
  /** Interceptors of the registered services, the first is the outermost. */
  readonly interceptors: readonly Interceptor[];
  /** Finds who calls, from the headers alone, before the body is read. */
  readonly authenticate: Authenticate;
  /** Origins of web pages that may call besides the service's own, such as `https://app.example.com`. */
  readonly allowedOrigins: readonly string[];
  /** Host names that the service answers to besides loopback names and its addresses. `*` is any. */
  readonly allowedHosts: readonly string[];
  /** Largest request message, in bytes. Default: 4 MiB. */
  readonly readMaxBytes?: number;
  /** Longest wait for running calls in a drain, in ms. Default: 10,000. */
  readonly drainMs?: number;
  /** Longest wait for calls that the drain aborted, in ms. Default: 2,000. */
  readonly abortGraceMs?: number;
  /** Longest wait for the first bytes and for the head of a request, in ms. Default: 15,000. */
  readonly firstBytesTimeoutMs?: number;
  /** Longest wait for the whole of an HTTP/1.1 request, in ms. Default: 60,000. */
  readonly requestTimeoutMs?: number;
  /** A connection without a call for so long is closed, in ms. Default: 300,000. */
  readonly idleMs?: number;
  /** Most streams of one HTTP/2 session at once. Default: 128. */
  readonly maxConcurrentStreams?: number;
  /** Version of the service, for the page at `/`. Default: none is shown. */
  readonly version?: string;
  /** What GET /metrics answers to callers with the right `manage`. Default: there is no such page. */
  readonly metrics?: () => Promise<string>;
  readonly log: ServerLog;
}

/** A server that listens. */
export interface RunningServer {
  readonly address: { readonly host: string; readonly port: number };
  /** Such as `http://127.0.0.1:8080`. */
  readonly url: string;
  /** True once the server takes no new calls. */
  readonly draining: boolean;
  /** Aborts, with an AbortReason of source `shutdown`, when calls that still run must end. */
  readonly shutdownSignal: AbortSignal;
  /** Refuses new calls, lets running ones end, then closes. Every call answers the same promise. */
  drain(): Promise<void>;
  /** Aborts all calls and closes every connection at once. */
  close(): Promise<void>;
}
