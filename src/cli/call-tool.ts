import { randomUUID } from "node:crypto";
import { text as readAll } from "node:stream/consumers";
import { toJsonString } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import type { Client, Interceptor } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { Mode } from "../../gen/handrail/v1/context_pb.js";
import { OutputStream } from "../../gen/handrail/v1/events_pb.js";
import type { CallEvent } from "../../gen/handrail/v1/events_pb.js";
import { Outcome, ResultSchema } from "../../gen/handrail/v1/result_pb.js";
import type { Result } from "../../gen/handrail/v1/result_pb.js";
import { ToolService } from "../../gen/handrail/v1/tool_service_pb.js";
import { describeRpcError } from "./describe-rpc-error.js";
import { renderResult } from "./render-result.js";

/** What `handrail call` is asked for. */
export interface CallToolOptions {
  readonly tool: string;
  /** JSON text, or `-` for standard input. */
  readonly argumentsText: string;
  readonly url: string;
  readonly project: string;
  readonly session?: string;
  readonly user?: string;
  readonly mode: "plan" | "build";
  readonly token?: string;
  /** In ms. */
  readonly deadline?: number;
  /** Prints the result as JSON. */
  readonly asJson: boolean;
}

const EXIT_TOOL_FAILED = 1;
const EXIT_REFUSED = 2;
const EXIT_CANCELED = 130;

/** Runs one tool of a service and shows it. Resolves with the exit code. */
export async function callTool(options: CallToolOptions): Promise<number> {
  const client = createClient(
    ToolService,
    createGrpcTransport({ baseUrl: options.url, interceptors: credentials(options.token) }),
  );
  const callId = randomUUID();
  const stop = cancelOnInterrupt(client, { callId, projectId: options.project });
  try {
    const result = await runCall(client, callId, options);
    if (result === undefined) {
      console.error(`The stream ended without a result: what became of call ${callId} is not known.`);
      return EXIT_REFUSED;
    }
    console.log(options.asJson ? toJsonString(ResultSchema, result) : renderResult(result));
    if (result.outcome === Outcome.OK) return 0;
    return result.outcome === Outcome.CANCELED ? EXIT_CANCELED : EXIT_TOOL_FAILED;
  } catch (error) {
    console.error(describeRpcError(error, options.url));
    return EXIT_REFUSED;
  } finally {
    stop();
  }
}

async function runCall(
  client: Client<typeof ToolService>,
  callId: string,
  options: CallToolOptions,
): Promise<Result | undefined> {
  const { argumentsText, session = "", user = "", deadline } = options;
  const argumentsJson = argumentsText === "-" ? await readAll(process.stdin) : argumentsText;
  const events = client.executeTool(
    {
      context: {
        projectId: options.project,
        sessionId: session,
        userId: user,
        turnId: randomUUID(),
        mode: options.mode === "plan" ? Mode.PLAN : Mode.BUILD,
      },
      tool: options.tool,
      input: { case: "argumentsJson", value: argumentsJson },
      callId,
    },
    deadline === undefined ? {} : { timeoutMs: deadline },
  );
  for await (const { event } of events) {
    if (event === undefined) continue;
    if (event.event.case === "result") return event.event.value;
    if (!options.asJson) showLive(event);
  }
  return undefined;
}

/** Live output goes to standard error, so that standard output is the result alone. */
function showLive(event: CallEvent): void {
  const { event: body } = event;
  if (body.case === "sandbox" && process.stderr.isTTY) process.stderr.write(`… ${body.value.message}\n`);
  if (body.case === "progress" && process.stderr.isTTY) process.stderr.write(`… ${body.value.message}\n`);
  if (body.case === "output" && process.stderr.isTTY && body.value.stream !== OutputStream.UNSPECIFIED) {
    process.stderr.write(body.value.data);
  }
}

function credentials(token: string | undefined): Interceptor[] {
  if (token === undefined) return [];
  return [
    (next) => (request) => {
      request.header.set("authorization", `Bearer ${token}`);
      return next(request);
    },
  ];
}

function cancelOnInterrupt(
  client: Client<typeof ToolService>,
  target: { callId: string; projectId: string },
): () => void {
  const onInterrupt = () => {
    process.stderr.write("canceling …\n");
    client.cancelCall({ ...target, reason: "interrupted at the terminal" }).catch((error: unknown) => {
      console.error(error);
      process.exit(EXIT_CANCELED);
    });
  };
  process.once("SIGINT", onInterrupt);
  return () => process.off("SIGINT", onInterrupt);
}
