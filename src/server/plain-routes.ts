import { Code } from "@connectrpc/connect";
import type { UniversalHandler, UniversalServerRequest } from "@connectrpc/connect/protocol";
import { errorResponse } from "./error-response.js";
import { refusal } from "./refusal.js";

/** RPCs that plain clients also reach by a path with an id in it: the path before the id, the RPC, the field of the id. */
const ROUTES = [
  { prefix: "/vibe/abort/", rpc: "/handrail.v1.SessionService/AbortProject", field: "projectId" },
] as const;

const MAX_BODY_BYTES = 64 * 1024;

/** Finds what answers a path: an RPC by its own path, or by one of the plain routes. */
export function handlerFinder(
  handlers: ReadonlyMap<string, UniversalHandler>,
): (path: string) => UniversalHandler | undefined {
  return (path) => {
    const route = ROUTES.find(({ prefix }) => path.startsWith(prefix));
    const handler = route === undefined ? undefined : handlers.get(route.rpc);
    if (route === undefined || handler === undefined) return handlers.get(path);
    return plainHandler(handler, { path, field: route.field, id: path.slice(route.prefix.length) });
  };
}

/** The same RPC, by POST of JSON alone, whose body may be empty and has the id of the path added. */
function plainHandler(
  handler: UniversalHandler,
  { path, field, id }: { path: string; field: string; id: string },
): UniversalHandler {
  const answer = async (request: UniversalServerRequest) => {
    const message = withId(await readText(request), { field, id });
    if (message === undefined)
      return errorResponse({ protocol: "connect", contentType: JSON_TYPE, error: malformed() });
    const header = new Headers(request.header);
    header.delete("content-length");
    return handler({ ...request, header, body: oneChunk(Buffer.from(message)) });
  };
  return Object.assign(answer, {
    ...handler,
    requestPath: path,
    allowedMethods: ["POST"],
    supportedContentType: Object.assign(
      (contentType: string | null) => JSON_PATTERN.test(contentType ?? ""),
      { supported: [JSON_PATTERN] },
    ),
  });
}

const JSON_TYPE = "application/json";
const JSON_PATTERN = /^application\/json(?:;|$)/i;

/** The body with the id in its field; undefined if it is no JSON object or names another id. */
function withId(text: string | undefined, { field, id }: { field: string; id: string }): string | undefined {
  if (text === undefined) return undefined;
  try {
    const body: unknown = text.trim() === "" ? {} : JSON.parse(text);
    const decoded = decodeURIComponent(id);
    if (typeof body !== "object" || body === null || Array.isArray(body)) return undefined;
    const given = (body as Record<string, unknown>)[field] ?? decoded;
    return given === decoded ? JSON.stringify({ ...body, [field]: decoded }) : undefined;
  } catch {
    return undefined;
  }
}

/** The body as text; undefined if it is too long. */
async function readText({ body }: UniversalServerRequest): Promise<string | undefined> {
  if (typeof body !== "object" || body === null || !(Symbol.asyncIterator in body))
    return JSON.stringify(body);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes);
}

function malformed(): ReturnType<typeof refusal> {
  return refusal({
    code: Code.InvalidArgument,
    reason: "INVALID_REQUEST",
    message: `the body must be a JSON object of at most ${MAX_BODY_BYTES} bytes without another id than that of the path`,
  });
}
