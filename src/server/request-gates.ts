import { isOwnHost, parseAuthority } from "./authority.js";
import type { NodeRequest } from "./node-exchange.js";
import { isEncrypted, isHttp2Request } from "./node-exchange.js";
import { isAllowedOrigin } from "./origin.js";
import type { TextReply } from "./text-reply.js";

const maxShownLength = 100;

/** The `Host` or `:authority` of a request, "" if there is none, undefined if there are several. */
export function authorityOf(request: NodeRequest): string | undefined {
  if (isHttp2Request(request)) {
    const { ":authority": authority, host } = request.headers;
    return authority !== undefined && host !== undefined && authority !== host
      ? undefined
      : (authority ?? host ?? "");
  }
  const hosts = request.rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === "host");
  return hosts.length > 1 ? undefined : (request.headers.host ?? "");
}

/** Checks that a request names the service as its host: 400 for what is no host, 403 for another one. */
export function checkHost(request: NodeRequest, allowedHosts: readonly string[]): TextReply | undefined {
  const sent = authorityOf(request);
  if (sent === undefined) return { status: 400, text: "The request names more than one host." };
  const authority = parseAuthority(sent);
  const shown = JSON.stringify(sent.slice(0, maxShownLength));
  if (authority === undefined) {
    return { status: 400, text: `The host ${shown} of the request is malformed: send name or name:port.` };
  }
  if (isOwnHost({ host: authority.host, localAddress: request.socket.localAddress, allowedHosts }))
    return undefined;
  return {
    status: 403,
    text: `The service does not answer to the host ${shown}: call it by its address, or add the name to its allowed hosts (setting allowedHosts).`,
  };
}

/** Checks that the web page behind a request, if any, may call. The host of the request must be checked before. */
export function checkOrigin(request: NodeRequest, allowedOrigins: readonly string[]): TextReply | undefined {
  const { origin } = request.headers;
  if (origin === undefined) return undefined;
  const ownOrigin = `${isEncrypted(request) ? "https" : "http"}://${authorityOf(request) ?? ""}`;
  if (isAllowedOrigin({ origin, ownOrigin, allowedOrigins })) return undefined;
  const shown = JSON.stringify(origin.slice(0, maxShownLength));
  return {
    status: 403,
    text: `Web pages of the origin ${shown} may not call the service: add it to its allowed origins (setting allowedOrigins).`,
  };
}
