import type { Readable } from "node:stream";
import { Agent, request as send } from "undici";
import type { Dispatcher } from "undici";
import { boundedBody } from "./bounded-body.js";
import { startDeadline } from "./deadline.js";
import type { Deadline } from "./deadline.js";
import type { GuardedDialler } from "./guarded-dialler.js";
import { createOutsideConnector } from "./outside-connector.js";
import { OutsideError } from "./outside-error.js";
import { isRedirect, outsideUrl, redirected } from "./redirect.js";
import type { OutsideRequest } from "./redirect.js";

/** A request to the outside. */
export interface GuardedFetchOptions {
  /** http or https. */
  readonly url: string;
  /** Default `GET`. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  readonly signal: AbortSignal;
  /** Longest time for everything, redirects and body included, in ms. Default 30,000. */
  readonly timeoutMs?: number;
  /** Longest time without a byte, in ms; fires up to a second late. Default 10,000. */
  readonly idleMs?: number;
  /** Most bytes of the body after decompression. Default 10 MiB. */
  readonly maxBytes?: number;
  /** Most redirects that are followed. Default 5. */
  readonly maxRedirects?: number;
  /** Follow redirects from https to http. Default false. */
  readonly allowDowngrade?: boolean;
}

/** What the outside answered, whatever its status. */
export interface OutsideResponse {
  readonly status: number;
  /** Where the answer came from, after redirects. */
  readonly url: string;
  /** Names in lower case; several of one name are joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  /** The decompressed body. Fails with OutsideError. To be read or destroyed: until then the clock runs. */
  readonly body: Readable;
  /** Reads the whole body. Throws OutsideError. */
  bytes(): Promise<Buffer>;
}

/** Fetches from the outside; every hop is judged anew. Throws OutsideError, or the reason of the signal. */
export interface GuardedFetch {
  (options: GuardedFetchOptions): Promise<OutsideResponse>;
  /** Closes all connections. */
  close(): Promise<void>;
}

/** Makes a guarded fetch over the guarded dialler. */
export function createGuardedFetch(parts: {
  dial: GuardedDialler;
  /** Longest time for one connection with TLS, in ms. Default 10,000. */
  connectMs?: number;
  /** Certificates to trust in place of the system's, in PEM. Default: the system's. */
  ca?: string;
}): GuardedFetch {
  const { dial, connectMs = 10_000, ca } = parts;
  const agent = new Agent({
    connect: createOutsideConnector({ dial, connectMs, ca }),
    maxHeaderSize: 32_768,
  });
  const guardedFetch = async (options: GuardedFetchOptions): Promise<OutsideResponse> => {
    const { timeoutMs = 30_000, signal } = options;
    signal.throwIfAborted();
    const deadline = startDeadline({ timeoutMs, signal, what: "the request" });
    try {
      return await follow({ agent, options, deadline });
    } catch (error) {
      deadline.clear();
      throw asOutsideError(error, deadline.signal);
    }
  };
  return Object.assign(guardedFetch, { close: () => agent.destroy() });
}

interface Exchange {
  readonly agent: Agent;
  readonly options: GuardedFetchOptions;
  readonly deadline: Deadline;
}

async function follow({ agent, options, deadline }: Exchange): Promise<OutsideResponse> {
  const { maxRedirects = 5, allowDowngrade = false } = options;
  let request = firstRequest(options);
  for (let redirects = 0; ; redirects += 1) {
    const { idleMs = 10_000 } = options;
    const answer = await send(request.url, {
      dispatcher: agent,
      method: request.method,
      headers: request.headers,
      body: request.body ?? null,
      signal: deadline.signal,
      headersTimeout: idleMs,
      bodyTimeout: idleMs,
    });
    const headers = joined(answer.headers);
    const { location } = headers;
    if (!isRedirect(answer.statusCode) || location === undefined)
      return responseOf({ answer, headers, url: request.url.href, options, deadline });
    answer.body.on("error", () => undefined).destroy();
    if (redirects === maxRedirects)
      throw new OutsideError("outside.too_many_redirects", `more than ${maxRedirects} redirects`);
    request = redirected(request, { status: answer.statusCode, location, allowDowngrade });
  }
}

function firstRequest({ url, method = "GET", headers = {}, body }: GuardedFetchOptions): OutsideRequest {
  const given = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return {
    url: outsideUrl(url),
    method: method.toUpperCase(),
    headers: {
      "user-agent": "handrail",
      ...Object.fromEntries(given),
      "accept-encoding": "gzip, deflate, br",
    },
    body,
  };
}

function responseOf(parts: {
  answer: Dispatcher.ResponseData;
  headers: Record<string, string>;
  url: string;
  options: GuardedFetchOptions;
  deadline: Deadline;
}): OutsideResponse {
  const { answer, headers, url, options, deadline } = parts;
  const maxBytes = options.maxBytes ?? 10 * 1024 * 1024;
  const body = boundedBody(answer.body, { encoding: headers["content-encoding"] ?? "", maxBytes });
  body.once("close", () => deadline.clear());
  body.on("error", () => undefined);
  const bytes = async (): Promise<Buffer> => {
    const chunks: Uint8Array[] = [];
    try {
      for await (const chunk of body) chunks.push(chunk as Uint8Array);
    } catch (error) {
      throw asOutsideError(error, deadline.signal);
    }
    return Buffer.concat(chunks);
  };
  return { status: answer.statusCode, url, headers, body, bytes };
}

function joined(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value = ""]) => [
    name.toLowerCase(),
    Array.isArray(value) ? value.join(", ") : value,
  ]);
  return Object.fromEntries(entries) as Record<string, string>;
}

function asOutsideError(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (error instanceof OutsideError) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "UND_ERR_HEADERS_TIMEOUT" || code === "UND_ERR_BODY_TIMEOUT")
    return new OutsideError("outside.timeout", "the server sent nothing for too long", { cause: error });
  return new OutsideError(
    "outside.broken",
    `the exchange with the server failed${code === "" ? "" : ` (${code})`}`,
    {
      cause: error,
    },
  );
}
