import { create } from "@bufbuild/protobuf";
import type { Interceptor } from "@connectrpc/connect";
import type { OutputStream } from "../../gen/handrail/v1/events_pb.js";
import type { Output } from "../../gen/handrail/v1/events_pb.js";
import { ExecuteToolResponseSchema } from "../../gen/handrail/v1/tool_service_pb.js";
import type { ExecuteToolResponse } from "../../gen/handrail/v1/tool_service_pb.js";
import { kCall } from "../calls/call-context.js";
import type { EventBody } from "../calls/journal.js";
import { maskResult } from "../calls/mask-result.js";
import type { Maskers } from "../calls/masked-workspace.js";
import type { Masker, MaskStream } from "../secrets/masker.js";
import { onExecuteTool } from "./execute-tool.js";
import { flatMapIterable } from "./flat-map-iterable.js";

/** What masking needs. */
export interface MaskOptions {
  readonly maskers: Maskers;
}

/** Replaces the values of secrets in everything that a run says, before anything is cut. */
export function mask({ maskers }: MaskOptions): Interceptor {
  return onExecuteTool(async ({ request }, next) => {
    const response = await next(request);
    const call = request.contextValues.get(kCall);
    const masker = call === undefined ? undefined : maskers.of(call.key);
    if (masker === undefined || masker.isEmpty) return response;
    const events = new MaskedEvents(masker);
    const message = flatMapIterable(response.message as AsyncIterable<ExecuteToolResponse>, ({ event }) =>
      events.mask(event?.event as EventBody | undefined).map(asResponse),
    );
    return { ...response, message };
  });
}

/** The events of one run, masked; live output may be held back until it is certain. */
class MaskedEvents {
  readonly #masker: Masker;
  #streams = new Map<OutputStream, MaskStream<Uint8Array>>();
  #attempt = 1;

  constructor(masker: Masker) {
    this.#masker = masker;
  }

  mask(event: EventBody | undefined): EventBody[] {
    switch (event?.case) {
      case undefined:
        return [];
      case "started":
        this.#streams = new Map();
        this.#attempt = event.value.attempt;
        return [event];
      case "output":
        return this.#output(event.value);
      case "result":
        maskResult(event.value, this.#masker);
        return [...this.#rest(), event];
      case "progress":
      case "sandbox":
        event.value.message = this.#masker.text(event.value.message);
        return [event];
      case "inputRequired":
        event.value.title = this.#masker.text(event.value.title);
        event.value.message = this.#masker.text(event.value.message);
        return [event];
      case "child":
        event.value.message = this.#masker.text(event.value.message);
        return [event];
      case "inputClosed":
        return [event];
    }
  }

  #output(output: Output): EventBody[] {
    let stream = this.#streams.get(output.stream);
    if (stream === undefined) {
      stream = this.#masker.byteStream();
      this.#streams.set(output.stream, stream);
    }
    const data = stream.push(output.data);
    return data.length === 0 ? [] : [{ case: "output", value: { ...output, data } }];
  }

  #rest(): EventBody[] {
    return [...this.#streams].flatMap(([stream, masked]) => {
      const data = masked.flush();
      if (data.length === 0) return [];
      const value: Output = { $typeName: "handrail.v1.Output", attempt: this.#attempt, stream, data };
      return [{ case: "output" as const, value }];
    });
  }
}

function asResponse(event: EventBody): ExecuteToolResponse {
  return create(ExecuteToolResponseSchema, { event: { event } });
}
