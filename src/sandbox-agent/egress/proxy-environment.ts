/** What has to be reached without the proxy. */
const direct = "localhost,127.0.0.1,::1";

/**
 * The variables by which programs find the proxy on a port of the sandbox's loopback. Node uses it for `fetch` too, and
 * trusts the certificates of the system, where its version knows of these variables.
 */
export function proxyEnvironment(port: number): Readonly<Record<string, string>> {
  const url = `http://127.0.0.1:${port}`;
  return {
    HTTP_PROXY: url,
    HTTPS_PROXY: url,
    http_proxy: url,
    https_proxy: url,
    NO_PROXY: direct,
    no_proxy: direct,
    NODE_USE_ENV_PROXY: "1",
    NODE_USE_SYSTEM_CA: "1",
  };
}
