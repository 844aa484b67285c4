import { request } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { DialBoard } from "./dial-board.js";
import { absoluteTarget } from "./proxy-target.js";
import { headerText } from "./refusal.js";
import type { Refusal } from "./refusal.js";

/** Headers that belong to one connection and are not passed on. */
const hopByHop = new Set([
  "connection",
  "expect",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

const notAProxyRequest: Refusal = {
  httpStatus: 400,
  reason: "this is a proxy: ask it for http://host/path, or CONNECT host:port",
};

/** Serves one plain HTTP request in absolute form, on a connection of its own to the outside. */
export async function forwardRequest(
  asked: IncomingMessage,
  reply: ServerResponse,
  board: DialBoard,
): Promise<void> {
  const target = absoluteTarget(asked.url ?? "");
  if (target === undefined) {
    refuse(reply, notAProxyRequest);
    return;
  }
  const dial = board.ask(target);
  const onClose = (): void => dial.withdraw();
  reply.once("close", onClose);
  const answer = await dial.answer;
  reply.off("close", onClose);
  if (answer.kind === "refused") refuse(reply, answer);
  else if (reply.destroyed) answer.stream.destroy();
  else await exchange({ asked, reply, stream: answer.stream, target });
}

function exchange(options: {
  asked: IncomingMessage;
  reply: ServerResponse;
  stream: Duplex;
  target: { readonly path: string; readonly authority: string };
}): Promise<void> {
  const { asked, reply, stream, target } = options;
  return new Promise((resolve) => {
    const isChunked = asked.headers["transfer-encoding"] !== undefined;
    const outgoing = request({
      createConnection: () => stream,
      method: asked.method,
      path: target.path,
      headers: {
        ...passedOn(asked),
        ...(isChunked && { "transfer-encoding": "chunked" }),
        host: target.authority,
        connection: "close",
      },
      setHost: false,
    });
    stream.once("close", () => resolve());
    const onFailure = (): void => {
      stream.destroy();
      if (reply.headersSent) reply.destroy();
      else refuse(reply, { httpStatus: 502, reason: "the server broke off before it answered" });
    };
    outgoing.on("error", onFailure);
    outgoing.on("response", (response) => {
      reply.writeHead(response.statusCode ?? 502, response.statusMessage, passedOn(response));
      response.on("error", onFailure);
      response.once("close", () => {
        if (!response.complete) onFailure();
        stream.destroy();
      });
      response.pipe(reply);
    });
    reply.once("close", () => {
      if (!reply.writableFinished) outgoing.destroy();
    });
    asked.on("error", () => outgoing.destroy());
    asked.pipe(outgoing);
  });
}

function passedOn({ headersDistinct }: IncomingMessage): Record<string, string[]> {
  const named = (headersDistinct["connection"] ?? []).flatMap((value) => value.split(","));
  const dropped = new Set([...hopByHop, ...named.map((name) => name.trim().toLowerCase())]);
  const kept = Object.entries(headersDistinct).flatMap(([name, values]) =>
    values === undefined || dropped.has(name) ? [] : [[name, values] as const],
  );
  return Object.fromEntries(kept);
}

function refuse(reply: ServerResponse, { httpStatus, reason }: Refusal): void {
  const body = `handrail egress: ${reason}\n`;
  reply.writeHead(httpStatus, {
    "content-type": "text/plain; charset=utf-8",
    "content-length": Buffer.byteLength(body),
    "x-handrail-egress": headerText(reason),
    connection: "close",
  });
  reply.end(body);
}
