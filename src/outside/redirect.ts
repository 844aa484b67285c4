import { OutsideError } from "./outside-error.js";

/** A request that can be made again at another place. */
export interface OutsideRequest {
  readonly url: URL;
  readonly method: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | string | undefined;
}

/** Headers that another origin may see. All others may hold credentials. */
const openHeaders = new Set(["accept", "accept-encoding", "accept-language", "content-type", "user-agent"]);

/** True for a status that sends the client elsewhere. */
export function isRedirect(status: number): boolean {
  return status === 301 || status === 302 || status === 303 || status === 307 || status === 308;
}

/**
 * The request that follows a redirect. What may hold credentials does not cross origins, and https does not lead to http
 * unless `allowDowngrade`. Throws OutsideError.
 */
export function redirected(
  request: OutsideRequest,
  options: { status: number; location: string; allowDowngrade: boolean },
): OutsideRequest {
  const { status, location, allowDowngrade } = options;
  if (!URL.canParse(location, request.url.href))
    throw new OutsideError("outside.broken", `${request.url.host} redirects to something that is no URL`);
  const url = outsideUrl(new URL(location, request.url.href).href);
  if (request.url.protocol === "https:" && url.protocol === "http:" && !allowDowngrade)
    throw new OutsideError(
      "outside.refused",
      `${request.url.host} redirects from https to http at ${url.host}`,
    );
  const dropsBody = status === 303 || (status !== 307 && status !== 308 && request.method === "POST");
  const isSameOrigin = url.origin === request.url.origin;
  const headers = Object.entries(request.headers).filter(
    ([name]) => (isSameOrigin || openHeaders.has(name)) && !(dropsBody && name.startsWith("content-")),
  );
  return {
    url,
    method: dropsBody && request.method !== "HEAD" ? "GET" : request.method,
    headers: Object.fromEntries(headers),
    body: dropsBody ? undefined : request.body,
  };
}

/** Reads a URL to fetch. Throws OutsideError `outside.invalid` unless it is http or https without user and password. */
export function outsideUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:"))
    throw new OutsideError("outside.invalid", "only http:// and https:// URLs can be fetched");
  if (url.username !== "" || url.password !== "")
    throw new OutsideError("outside.invalid", "a URL to fetch may not have a user or password in it");
  return url;
}
