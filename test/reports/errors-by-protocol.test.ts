import { randomUUID } from "node:crypto";
import { ConnectError, createClient } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { expect, it } from "vitest";
import { BadRequestSchema } from "../../gen/google/rpc/error_details_pb.js";
import { ToolService } from "../../gen/handrail/v1/tool_service_pb.js";
import type { CallEvent } from "../../gen/handrail/v1/events_pb.js";
import { outcomeOf } from "../support/service.js";
import type { Outcome } from "../support/service.js";
import { onEachSandbox } from "./on-each-sandbox.js";

const PROTOCOLS = {
  gRPC: (baseUrl: string) => createGrpcTransport({ baseUrl }),
  "gRPC-Web": (baseUrl: string) => createGrpcWebTransport({ baseUrl, httpVersion: "1.1" }),
  Connect: (baseUrl: string) => createConnectTransport({ baseUrl, httpVersion: "1.1" }),
};

const ODD = [" x ", "a\nb", "ü漢😀", "\u0007", "100% bad %zz"];

onEachSandbox("errors over each protocol", ({ service }) => {
  const clients = () => Object.values(PROTOCOLS).map((to) => createClient(ToolService, to(service().url)));

  it("carries the message of a result whole over gRPC, gRPC-Web and Connect, whatever it quotes (B029)", async () => {
    for (const client of clients()) {
      const call = async (tool: string, args: object): Promise<Outcome> => {
        const events: CallEvent[] = [];
        const stream = client.executeTool({
          context: { projectId: service().project },
          tool,
          input: { case: "argumentsJson", value: JSON.stringify(args) },
          callId: randomUUID(),
        });
        for await (const { event } of stream) if (event !== undefined) events.push(event);
        return outcomeOf(events, 0);
      };
      for (const odd of ODD) {
        const missing = await call("read", { path: odd });
        expect(missing.result.error?.code).toBe("read.not_found");
        expect(missing.result.error?.message).toBe(`${JSON.stringify(odd)} does not exist.`);
        const nowhere = await call("bash", { command: "true", cwd: odd });
        expect(nowhere.result.error?.message).toContain(JSON.stringify(odd));
        const unknown = await call(odd, {});
        expect(unknown.result.error?.message).toBe(`There is no tool ${JSON.stringify(odd)}.`);
      }
    }
  });

  it("carries the message of a status whole over gRPC, gRPC-Web and Connect, whatever it quotes (B029)", async () => {
    for (const client of clients()) {
      for (const odd of ODD) {
        const error = await client.getCall({ projectId: odd, callId: "x" }).then(
          () => undefined,
          (reason: unknown) => ConnectError.from(reason),
        );
        const character = JSON.stringify(/[^A-Za-z0-9._:-]/u.exec(odd)?.[0]);
        const said = `has the character ${character}; allowed are letters, digits and . _ : -`;
        expect(error?.rawMessage).toBe(`project_id ${said}`);
        const [detail] = error?.findDetails(BadRequestSchema) ?? [];
        expect(detail?.fieldViolations).toMatchObject([{ field: "project_id", description: said }]);
      }
    }
  });
});
