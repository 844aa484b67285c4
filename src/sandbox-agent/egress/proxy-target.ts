/** Where a request to the proxy wants to go. */
export interface ProxyTarget {
  readonly host: string;
  readonly port: number;
}

/** Longest host name that is passed on. */
const maxHostLength = 255;

/** Reads the target of CONNECT: `host:port`, an IPv6 address in brackets. Undefined if it is malformed. */
export function connectTarget(authority: string): ProxyTarget | undefined {
  const [, bracketed, plain, digits = ""] =
    /^(?:\[([^\]]+)\]|([^:[\]/@\s]+)):(\d{1,5})$/.exec(authority) ?? [];
  return target(bracketed ?? plain, Number(digits));
}

/** Reads the target of a request in absolute form, and what the server there is to be asked. Undefined if it is malformed. */
export function absoluteTarget(
  url: string,
): (ProxyTarget & { readonly path: string; readonly authority: string }) | undefined {
  if (!/^http:\/\//i.test(url) || !URL.canParse(url)) return undefined;
  const { hostname, port, pathname, search, host } = new URL(url);
  const found = target(hostname.replace(/^\[|\]$/g, ""), port === "" ? 80 : Number(port));
  return found === undefined ? undefined : { ...found, path: `${pathname}${search}`, authority: host };
}

function target(host: string | undefined, port: number): ProxyTarget | undefined {
  if (host === undefined || host === "" || host.length > maxHostLength) return undefined;
  return Number.isInteger(port) && port >= 1 && port <= 65_535 ? { host, port } : undefined;
}
