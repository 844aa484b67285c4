import { randomUUID } from "node:crypto";
import { toJson } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { CallEventSchema } from "../../gen/handrail/v1/events_pb.js";
import type { CallEvent } from "../../gen/handrail/v1/events_pb.js";
import { Mode } from "../../gen/handrail/v1/context_pb.js";
import { kPrincipal } from "../../src/rpc/context-keys.js";
import { collectEvents, reasonOf } from "../support/rpc-answers.js";
import { SANDBOX_KINDS, serviceForTest } from "../support/service.js";
import type { TestService } from "../support/service.js";

const KINDS: readonly [what: string, tool: string, args: string, request?: object][] = [
  ["output of both streams", "bash", '{"command":"echo out; sleep 0.2; echo err >&2"}'],
  ["a failure", "bash", '{"command":"exit 3"}'],
  ["a clock that fires", "bash", '{"command":"echo a; sleep 5","timeout":1000}'],
  ["a text that is cut", "bash", '{"command":"echo 1234567890"}', { limits: { maxTextBytes: 5n } }],
  ["a write", "write", '{"path":"made.txt","content":"text"}'],
  ["a read", "read", '{"path":"given.txt"}'],
  ["a file that is not there", "read", '{"path":"missing.txt"}'],
  ["a search", "grep", '{"pattern":"needle"}'],
  ["bad arguments", "read", '{"path":5}'],
  ["arguments that are no JSON", "read", "{"],
  ["a tool that there is not", "fly", "{}"],
  ["a tool of the other mode", "bash", '{"command":"true"}', { context: { mode: Mode.PLAN } }],
];

/** What is the same however a call comes: all but times and the call's own id. */
function shown(events: readonly CallEvent[], callId: string): unknown {
  return JSON.parse(
    JSON.stringify(
      events.map((event) => toJson(CallEventSchema, event)),
      (key, value: unknown) => (["time", "timings"].includes(key) ? undefined : value),
    )
      .replaceAll(callId, "ID")
      .replace(/\\"elapsed_ms\\":\d+/g, "")
      .replace(/"processesKilled":\d+/g, '"processesKilled":0'),
  );
}

function requestOf(service: TestService, kind: (typeof KINDS)[number], callId: string) {
  const [, tool, args, extra = {}] = kind;
  const { context = {}, ...request } = extra as { context?: object };
  return {
    context: { projectId: service.project, sessionId: "s", turnId: callId, ...context },
    tool,
    input: { case: "argumentsJson", value: args } as const,
    callId,
    ...request,
  };
}

function locally(service: TestService, request: ReturnType<typeof requestOf>, signal: AbortSignal) {
  return service.local.execute(request, {
    signal,
    prepare: (values) => values.set(kPrincipal, { tenant: "local", rights: new Set(["execute"] as const) }),
  });
}

for (const sandbox of SANDBOX_KINDS) {
  describe(`a caller inside the process on ${sandbox}`, () => {
    it("sees the same events as one by the wire, for every kind of call", async () => {
      const service = await serviceForTest(sandbox);
      await service.bash("echo needle > given.txt; printf text > made.txt");
      for (const kind of KINDS) {
        const [wireId, localId] = [randomUUID(), randomUUID()];
        const wire = await collectEvents(service.tools.executeTool(requestOf(service, kind, wireId)));
        const { signal } = new AbortController();
        const local = await collectEvents(locally(service, requestOf(service, kind, localId), signal));
        expect(shown(local, localId), kind[0]).toEqual(shown(wire, wireId));
      }
    });

    it("starts nothing of any tool with a signal that is already aborted", async () => {
      const service = await serviceForTest(sandbox);
      const args: Readonly<Record<string, object>> = {
        bash: { command: "touch started" },
        write: { path: "started", content: "x" },
        read: { path: "started" },
        edit: { path: "started", old_string: "a", new_string: "b" },
        glob: { pattern: "*" },
        grep: { pattern: "x" },
        list_files: {},
      };
      for (const mode of [Mode.BUILD, Mode.PLAN]) {
        const { tools } = await service.tools.listTools({ context: { mode, projectId: "p", userId: "u" } });
        for (const { name } of tools) {
          const given = args[name];
          if (given === undefined) throw new Error(`there is no row for the tool ${name}`);
          const request = requestOf(
            service,
            ["", name, JSON.stringify(given), { context: { mode } }],
            randomUUID(),
          );
          const [code] = await reasonOf(collectEvents(locally(service, request, AbortSignal.abort())));
          expect([name, code]).toEqual([name, "Canceled"]);
        }
      }
      expect(await reasonOf(service.projects.getProject({ projectId: service.project }))).toEqual([
        "NotFound",
        "NOT_FOUND",
      ]);
    });
  });
}
