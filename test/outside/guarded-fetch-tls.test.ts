import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { RequestListener } from "node:http";
import { createServer } from "node:https";
import { createServer as createTcpServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { fetchTo, localServer, never } from "./local-servers.js";

const open = ["127.0.0.1"];
const here = () => Promise.resolve(["127.0.0.1"]);

describe("the guarded fetch over TLS", () => {
  let key: string;
  let cert: string;

  beforeAll(() => {
    const directory = mkdtempSync(join(tmpdir(), "handrail-tls-"));
    const [keyFile, certFile] = [join(directory, "key.pem"), join(directory, "cert.pem")];
    execFileSync("openssl", [
      ...[
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-days",
        "1",
      ],
      ...["-subj", "/CN=tls.example", "-addext", "subjectAltName=DNS:tls.example"],
      ...["-keyout", keyFile, "-out", certFile],
    ]);
    [key, cert] = [readFileSync(keyFile, "utf8"), readFileSync(certFile, "utf8")];
    rmSync(directory, { recursive: true });
  });

  const tlsServer = async (listener: RequestListener): Promise<number> => {
    const server = createServer({ key, cert }, listener).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    return (server.address() as AddressInfo).port;
  };

  it("fetches from a host whose certificate is trusted", async () => {
    const port = await tlsServer((_request, response) => response.end("secret"));
    const answer = await fetchTo(open, here, cert)({ url: `https://tls.example:${port}/`, signal: never });
    expect(String(await answer.bytes())).toBe("secret");
  });

  it("refuses a certificate of another host, and one that nobody vouches for", async () => {
    const port = await tlsServer((_request, response) => response.end("secret"));
    const other = fetchTo(open, here, cert)({ url: `https://other.example:${port}/`, signal: never });
    await expect(other).rejects.toThrow("ERR_TLS_CERT_ALTNAME_INVALID");
    const unknown = fetchTo(open, here)({ url: `https://tls.example:${port}/`, signal: never });
    await expect(unknown).rejects.toMatchObject({ code: "outside.broken" });
  });

  it("follows no redirect from https to http, unless it is told to", async () => {
    const plain = await localServer((_request, response) => response.end("plain"));
    const location = `http://127.0.0.1:${plain}/`;
    const port = await tlsServer((_request, response) => response.writeHead(302, { location }).end());
    const asked = { url: `https://tls.example:${port}/`, signal: never };
    await expect(fetchTo(open, here, cert)(asked)).rejects.toMatchObject({
      code: "outside.refused",
      message: `tls.example:${port} redirects from https to http at 127.0.0.1:${plain}`,
    });
    const followed = await fetchTo(open, here, cert)({ ...asked, allowDowngrade: true });
    expect(String(await followed.bytes())).toBe("plain");
  });

  it("gives up a server that never speaks TLS", async () => {
    const server = createTcpServer((socket) => void socket.on("error", () => undefined).resume()).listen(
      0,
      "127.0.0.1",
    );
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    await expect(
      fetchTo(open, here)({ url: `https://tls.example:${port}/`, signal: never }),
    ).rejects.toMatchObject({
      code: "outside.timeout",
      message: `connecting to tls.example:${port} took longer than 1000 ms`,
    });
  });
});
