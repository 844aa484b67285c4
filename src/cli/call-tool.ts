import { randomUUID } from "node:crypto";
import { toJsonString } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import { Mode } from "../../gen/handrail/v1/context_pb.js";
import { CallEventSchema, OutputStream } from "../../gen/handrail/v1/events_pb.js";
import type { CallEvent } from "../../gen/handrail/v1/events_pb.js";
import { ResultSchema } from "../../gen/handrail/v1/result_pb.js";
import type { Result } from "../../gen/handrail/v1/result_pb.js";
import { ToolFormat, ToolService } from "../../gen/handrail/v1/tool_service_pb.js";
import { Neutraliser } from "../text/neutralise.js";
import { StreamDecoder } from "../text/stream-decoder.js";
import { callArguments } from "./call-arguments.js";
import { clientOf } from "./connection.js";
import type { ProjectFlags } from "./connection.js";
import { EXIT, exitOf } from "./exit-code.js";
import { renderResult } from "./render-result.js";
import { Spinner } from "./spinner.js";

/** What `handrail call` is asked for. */
export interface CallToolOptions extends ProjectFlags {
  readonly tool: string;
  readonly argumentsText: string | undefined;
  readonly pairs: readonly string[];
  readonly session?: string;
  readonly user?: string;
  readonly turn?: string;
  readonly callId?: string;
  readonly mode: "plan" | "build";
  /** In ms. */
  readonly deadline?: number;
  /** `text`: output as it comes, then what a model would see of the rest. */
  readonly show: "text" | "json" | "events";
}

type Tools = Client<typeof ToolService>;

/** Runs one tool of a service and shows it. Resolves with the exit code. Throws UsageError, LocalError, ConnectError. */
export async function callTool(options: CallToolOptions): Promise<number> {
  const client = clientOf(ToolService, options);
  const callId = options.callId ?? randomUUID();
  const argumentsJson = await callArguments({
    text: options.argumentsText,
    pairs: options.pairs,
    schema: () => schemaOf(client, options),
  });
  const view = new CallView(options);
  const stop = cancelOnInterrupt(client, { callId, projectId: options.project }, view);
  try {
    const result = await follow(client, { ...options, callId, argumentsJson }, view);
    view.end(result);
    if (result !== undefined) return exitOf(result.outcome);
    console.error(`handrail: the stream ended without a result; what became of call ${callId} is not known`);
    return EXIT.lost;
  } finally {
    view.stop();
    stop();
  }
}

function contextOf({ project, session = "", user = "", turn, mode }: CallToolOptions) {
  return {
    projectId: project,
    sessionId: session,
    userId: user,
    turnId: turn ?? randomUUID(),
    mode: mode === "plan" ? Mode.PLAN : Mode.BUILD,
  };
}

async function schemaOf(client: Tools, options: CallToolOptions): Promise<unknown> {
  const { tools } = await client.listTools({ context: contextOf(options), format: ToolFormat.MCP });
  const found = tools.find(({ name }) => name === options.tool);
  if (found === undefined) return undefined;
  return (JSON.parse(found.definitionJson) as { inputSchema?: unknown }).inputSchema;
}

async function follow(
  client: Tools,
  options: CallToolOptions & { callId: string; argumentsJson: string },
  view: CallView,
): Promise<Result | undefined> {
  const { tool, callId, argumentsJson, deadline } = options;
  const request = {
    context: contextOf(options),
    tool,
    input: { case: "argumentsJson" as const, value: argumentsJson },
    callId,
  };
  const events = client.executeTool(request, deadline === undefined ? {} : { timeoutMs: deadline });
  for await (const { event } of events) {
    if (event === undefined) continue;
    view.show(event);
    if (event.event.case === "result") return event.event.value;
  }
  return undefined;
}

/** What comes from a sandbox must not steer the terminal. */
interface Stream {
  readonly decoder: StreamDecoder;
  readonly neutraliser: Neutraliser;
}

function newStream(): Stream {
  return { decoder: new StreamDecoder(), neutraliser: new Neutraliser() };
}

/** What a person sees of a call. */
class CallView {
  readonly #streams: Partial<Record<OutputStream, Stream>> = {};
  readonly #show: CallToolOptions["show"];
  readonly #spinner: Spinner;

  constructor({ show, tool }: CallToolOptions) {
    this.#show = show;
    this.#spinner = new Spinner(process.stderr, tool);
  }

  show(event: CallEvent): void {
    if (this.#show === "events") {
      console.log(toJsonString(CallEventSchema, event));
      return;
    }
    const { event: body } = event;
    if (body.case === "sandbox" || body.case === "progress") this.#spinner.say(body.value.message);
    if (body.case !== "output" || !process.stderr.isTTY || this.#show !== "text") return;
    if (body.value.stream === OutputStream.UNSPECIFIED) return;
    this.#spinner.clear();
    const { decoder, neutraliser } = (this.#streams[body.value.stream] ??= newStream());
    process.stderr.write(neutraliser.push(decoder.push(body.value.data)));
  }

  /** Prints what the call came to. Live output went to standard error, so that standard output is the result alone. */
  end(result: Result | undefined): void {
    this.stop();
    if (result === undefined || this.#show === "events") return;
    console.log(this.#show === "json" ? toJsonString(ResultSchema, result) : renderResult(result));
  }

  say(label: string): void {
    this.#spinner.say(label);
  }

  stop(): void {
    this.#spinner.stop();
  }
}

/** The first Ctrl-C cancels the call, whose result is still waited for; the second leaves at once. */
function cancelOnInterrupt(
  client: Tools,
  target: { callId: string; projectId: string },
  view: CallView,
): () => void {
  let asked = false;
  const leave = (): never => process.exit(EXIT.canceled);
  const onInterrupt = (): void => {
    if (asked) leave();
    asked = true;
    view.say("canceling; Ctrl-C again leaves at once");
    client.cancelCall({ ...target, reason: "interrupted at the terminal" }).catch(leave);
  };
  process.on("SIGINT", onInterrupt);
  return () => process.off("SIGINT", onInterrupt);
}
