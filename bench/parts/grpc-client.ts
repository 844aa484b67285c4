import { randomUUID } from "node:crypto";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import type { DescMessage, DescMethod, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import * as grpc from "@grpc/grpc-js";
import type { CallEvent } from "../../gen/handrail/v1/events_pb.js";
import { Outcome } from "../../gen/handrail/v1/result_pb.js";
import type { Result } from "../../gen/handrail/v1/result_pb.js";
import { ProjectService } from "../../gen/handrail/v1/project_service_pb.js";
import { ExecuteToolRequestSchema, ToolService } from "../../gen/handrail/v1/tool_service_pb.js";

/** A call that is under way. */
export interface RunningCall {
  readonly callId: string;
  /** Resolves with the result, which is the last event. */
  readonly result: Promise<Result>;
}

/** A stock gRPC client of one project of the measured service. */
export class GrpcClient {
  readonly project = `bench-${randomUUID().slice(0, 8)}`;
  readonly #client: grpc.Client;

  constructor(url: string) {
    this.#client = new grpc.Client(new URL(url).host, grpc.credentials.createInsecure());
  }

  /** Starts a tool. `onEvent` hears every event, the result too. */
  start(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    onEvent?: (event: CallEvent) => void,
  ): RunningCall {
    const callId = randomUUID();
    const method = ToolService.method.executeTool;
    const stream = this.#client.makeServerStreamRequest(
      pathOf(method),
      encoder(method.input),
      decoder(method.output),
      create(ExecuteToolRequestSchema, {
        context: { projectId: this.project, turnId: randomUUID() },
        tool,
        callId,
        input: { case: "argumentsJson", value: JSON.stringify(args) },
      }),
    );
    let last: CallEvent | undefined;
    const result = new Promise<Result>((resolve, reject) => {
      stream.on("data", ({ event }: MessageShape<typeof method.output>) => {
        last = event;
        if (event !== undefined) onEvent?.(event);
      });
      stream.once("error", reject);
      stream.once("end", () => {
        if (last?.event.case === "result") resolve(last.event.value);
        else reject(new Error("the stream ended without a result"));
      });
    });
    return { callId, result };
  }

  /** Runs a tool to its end. Rejects unless it is OK. */
  async run(tool: string, args: Readonly<Record<string, unknown>>): Promise<Result> {
    const result = await this.start(tool, args).result;
    if (result.outcome !== Outcome.OK) {
      throw new Error(`${tool} ended ${Outcome[result.outcome]}: ${result.error?.message ?? "no error"}`);
    }
    return result;
  }

  /** Stops a call. Resolves when nothing of it works any more. */
  async cancel(callId: string): Promise<Result | undefined> {
    const request = { projectId: this.project, callId, reason: "measured" };
    return (await this.#ask(ToolService.method.cancelCall, request)).result;
  }

  /** Replaces the sandbox, and begins to count its losses again. */
  async restartSandbox(): Promise<void> {
    await this.#ask(ProjectService.method.restartSandbox, { projectId: this.project });
  }

  #ask<M extends DescMethod>(
    method: M,
    request: MessageInitShape<M["input"]>,
  ): Promise<MessageShape<M["output"]>> {
    return new Promise((resolve, reject) => {
      this.#client.makeUnaryRequest(
        pathOf(method),
        encoder(method.input),
        decoder(method.output),
        create(method.input, request),
        (error, answer) =>
          error === null && answer !== undefined
            ? resolve(answer as MessageShape<M["output"]>)
            : reject(error ?? new Error(`${method.name} answered nothing`)),
      );
    });
  }

  close(): void {
    this.#client.close();
  }
}

function pathOf({ parent, name }: DescMethod): string {
  return `/${parent.typeName}/${name}`;
}

function encoder<D extends DescMessage>(schema: D): (message: MessageInitShape<D>) => Buffer {
  return (message) => Buffer.from(toBinary(schema, create(schema, message)));
}

function decoder<D extends DescMessage>(schema: D): (bytes: Buffer) => MessageShape<D> {
  return (bytes) => fromBinary(schema, bytes);
}
