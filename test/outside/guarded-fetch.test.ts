import { Readable } from "node:stream";
import { brotliCompressSync, createGzip, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { fetchTo, localServer, never } from "./local-servers.js";

const at = (port: number, path = "/"): string => `http://127.0.0.1:${port}${path}`;
const open = ["127.0.0.1"];

/** Redirects `/N` to `/N-1`, and answers `/0`. */
async function countdown(): Promise<number> {
  return await localServer((request, response) => {
    const left = Number(request.url?.slice(1));
    if (left === 0) response.end("landed");
    else response.writeHead(302, { location: `/${left - 1}` }).end();
  });
}

describe("the guarded fetch", () => {
  it("gives status, headers and body", async () => {
    const port = await localServer((_request, response) =>
      response.writeHead(404, { "x-kind": "test" }).end("nothing here"),
    );
    const answer = await fetchTo(open)({ url: at(port), signal: never });
    expect([answer.status, answer.headers["x-kind"], String(await answer.bytes())]).toEqual([
      404,
      "test",
      "nothing here",
    ]);
  });

  it("sends method, headers and body", async () => {
    const port = await localServer((request, response) => {
      response.write(`${request.method ?? ""} ${String(request.headers["x-key"])} `);
      request.pipe(response);
    });
    const asked = { url: at(port), method: "POST", headers: { "X-Key": "k" }, body: "hello", signal: never };
    expect(String(await (await fetchTo(open)(asked)).bytes())).toBe("POST k hello");
  });

  for (const url of [
    "http://localhost/",
    "http://0x7f.1/",
    "http://[::ffff:7f00:1]/",
    "http://169.254.169.254/latest",
  ]) {
    it(`refuses ${url}`, async () => {
      await expect(fetchTo([])({ url, signal: never })).rejects.toMatchObject({ code: "outside.refused" });
    });
  }

  for (const url of ["file:///etc/passwd", "ftp://example.com/", "nonsense", "http://a:b@example.com/"]) {
    it(`takes ${url} for no URL to fetch`, async () => {
      await expect(fetchTo([])({ url, signal: never })).rejects.toMatchObject({ code: "outside.invalid" });
    });
  }

  it("refuses a redirect to an address that is not allowed", async () => {
    let visits = 0;
    const inner = await localServer(() => (visits += 1), "127.0.0.2");
    const port = await localServer((_request, response) =>
      response.writeHead(302, { location: `http://127.0.0.2:${inner}/` }).end(),
    );
    await expect(fetchTo(open)({ url: at(port), signal: never })).rejects.toMatchObject({
      code: "outside.refused",
      message: "127.0.0.2 is not a public address (loopback)",
    });
    expect(visits).toBe(0);
  });

  it("follows five redirects and no sixth", async () => {
    const port = await countdown();
    const answer = await fetchTo(open)({ url: at(port, "/5"), signal: never });
    expect([answer.url, String(await answer.bytes())]).toEqual([at(port, "/0"), "landed"]);
    await expect(fetchTo(open)({ url: at(port, "/6"), signal: never })).rejects.toMatchObject({
      code: "outside.too_many_redirects",
      message: "more than 5 redirects",
    });
  });

  it("drops credentials on the way to another origin, and keeps them on the same", async () => {
    const echo = await localServer((request, response) =>
      response.end(`${request.headers.authorization ?? "-"} ${String(request.headers["x-api-key"] ?? "-")}`),
    );
    const port = await localServer((request, response) => {
      const same = request.url === "/same";
      if (request.url === "/end") response.end(request.headers.authorization);
      else response.writeHead(307, { location: same ? "/end" : at(echo) }).end();
    });
    const headers = { authorization: "Bearer t", "x-api-key": "k" };
    const other = await fetchTo(open)({ url: at(port, "/other"), headers, signal: never });
    expect(String(await other.bytes())).toBe("- -");
    const same = await fetchTo(open)({ url: at(port, "/same"), headers, signal: never });
    expect(String(await same.bytes())).toBe("Bearer t");
  });

  it("turns a POST into a GET without its body by 303, and keeps both by 307", async () => {
    const port = await localServer((request, response) => {
      if (request.url !== "/end")
        response.writeHead(Number(request.url?.slice(1)), { location: "/end" }).end();
      else {
        response.write(`${request.method ?? ""} `);
        request.pipe(response);
      }
    });
    const post = async (path: string) => {
      const asked = { url: at(port, path), method: "POST", body: "b", signal: never };
      return String(await (await fetchTo(open)(asked)).bytes());
    };
    expect([await post("/303"), await post("/307")]).toEqual(["GET ", "POST b"]);
  });

  it("stops a body that is larger than the limit", async () => {
    const port = await localServer((_request, response) => response.end("x".repeat(1001)));
    const answer = await fetchTo(open)({ url: at(port), maxBytes: 1000, signal: never });
    await expect(answer.bytes()).rejects.toMatchObject({
      code: "outside.too_large",
      message: "the body is larger than the limit of 1000 bytes",
    });
  });

  it("stops a small body that unpacks to a large one, without holding it", async () => {
    const port = await localServer((_request, response) => {
      response.writeHead(200, { "content-encoding": "gzip" });
      const zeros = Readable.from(
        (function* () {
          for (let count = 0; count < 256; count += 1) yield Buffer.alloc(1024 * 1024);
        })(),
      );
      zeros
        .pipe(createGzip())
        .on("error", () => undefined)
        .pipe(response);
    });
    const before = process.memoryUsage().rss;
    const answer = await fetchTo(open)({ url: at(port), maxBytes: 1024 * 1024, signal: never });
    await expect(answer.bytes()).rejects.toMatchObject({ code: "outside.too_large" });
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
  });

  it("unpacks gzip, brotli and both over each other, and refuses a third layer", async () => {
    const packed: Record<string, Buffer> = {
      gzip: gzipSync("text"),
      br: brotliCompressSync("text"),
      "gzip, br": brotliCompressSync(gzipSync("text")),
      "gzip, gzip, gzip": gzipSync(gzipSync(gzipSync("text"))),
    };
    const port = await localServer((request, response) => {
      const encoding = decodeURIComponent(request.url?.slice(1) ?? "");
      response.writeHead(200, { "content-encoding": encoding }).end(packed[encoding]);
    });
    const unpacked = async (encoding: string) => {
      const answer = await fetchTo(open)({
        url: at(port, `/${encodeURIComponent(encoding)}`),
        signal: never,
      });
      return String(await answer.bytes());
    };
    for (const encoding of ["gzip", "br", "gzip, br"]) expect(await unpacked(encoding)).toBe("text");
    await expect(unpacked("gzip, gzip, gzip")).rejects.toMatchObject({ code: "outside.broken" });
  });

  it("says that a body is not what its headers say", async () => {
    const port = await localServer((_request, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end("no gzip"),
    );
    const answer = await fetchTo(open)({ url: at(port), signal: never });
    await expect(answer.bytes()).rejects.toMatchObject({ code: "outside.broken" });
  });

  it("gives up a body that does not end in time", async () => {
    const port = await localServer((_request, response) => {
      const timer = setInterval(() => response.write("x"), 20);
      response.once("close", () => clearInterval(timer));
    });
    const answer = await fetchTo(open)({ url: at(port), timeoutMs: 200, signal: never });
    await expect(answer.bytes()).rejects.toMatchObject({
      code: "outside.timeout",
      message: "the request took longer than 200 ms",
    });
  });

  it("gives up a server that falls silent", async () => {
    const port = await localServer((_request, response) => response.write("x"));
    const answer = await fetchTo(open)({ url: at(port), idleMs: 300, signal: never });
    await expect(answer.bytes()).rejects.toMatchObject({
      code: "outside.timeout",
      message: "the server sent nothing for too long",
    });
  });

  it("ends when the caller leaves", async () => {
    const port = await localServer(() => undefined);
    const leaving = new AbortController();
    const fetched = fetchTo(open)({ url: at(port), signal: leaving.signal });
    setTimeout(() => leaving.abort(new Error("left")), 50);
    await expect(fetched).rejects.toThrow("left");
  });

  it("judges a name anew for each connection", async () => {
    const port = await localServer((_request, response) =>
      response.writeHead(302, { connection: "close", location: "/again" }).end(),
    );
    const answers = ["127.0.0.1", "127.0.0.2"];
    const guardedFetch = fetchTo(open, () => Promise.resolve([answers.shift() ?? "127.0.0.2"]));
    const fetched = guardedFetch({ url: `http://rebinding.example:${port}/`, signal: never });
    await expect(fetched).rejects.toThrow(
      "rebinding.example resolves to an address that is not public (loopback)",
    );
  });
});
