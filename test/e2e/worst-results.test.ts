import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import * as grpc from "@grpc/grpc-js";
import { describe, expect, it, onTestFinished } from "vitest";
import type { CallEvent } from "../../gen/handrail/v1/events_pb.js";
import { CallEventSchema } from "../../gen/handrail/v1/events_pb.js";
import {
  ExecuteToolRequestSchema,
  ExecuteToolResponseSchema,
} from "../../gen/handrail/v1/tool_service_pb.js";
import { Mode } from "../../gen/handrail/v1/context_pb.js";
import { SANDBOX_KINDS, serviceForTest } from "../support/service.js";
import type { TestService } from "../support/service.js";

const MIB = 1024 * 1024;

/** Calls a tool by a stock client, which takes no message above 4 MiB. */
function callByGrpcJs(
  service: TestService,
  tool: string,
  args: object,
  mode = Mode.BUILD,
): Promise<CallEvent[]> {
  const client = new grpc.Client(new URL(service.url).host, grpc.credentials.createInsecure());
  onTestFinished(() => client.close());
  const stream = client.makeServerStreamRequest(
    "/handrail.v1.ToolService/ExecuteTool",
    (request: Uint8Array) => Buffer.from(request),
    (bytes: Buffer) => fromBinary(ExecuteToolResponseSchema, bytes),
    toBinary(
      ExecuteToolRequestSchema,
      create(ExecuteToolRequestSchema, {
        context: { projectId: service.project, mode },
        tool,
        input: { case: "argumentsJson", value: JSON.stringify(args) },
      }),
    ),
  );
  const events: CallEvent[] = [];
  return new Promise((resolve, reject) => {
    stream.on("data", ({ event }: { event?: CallEvent }) => event !== undefined && events.push(event));
    stream.once("error", reject);
    stream.once("end", () => resolve(events));
  });
}

/** Makes what each tool answers most on. */
const PREPARE = `
head -c 3000000 /dev/zero | tr '\\0' '\\001' > controls
yes "a line with a needle in it and more of it to make it longer" | head -c 4000000 > needles
python3 - <<'END'
import os, zlib, struct
w = h = 1600
raw = b"".join(b"\\0" + os.urandom(w * 3) for _ in range(h))
chunk = lambda t, d: struct.pack(">I", len(d)) + t + d + struct.pack(">I", zlib.crc32(t + d))
head = struct.pack(">IIBBBBB", w, h, 8, 2, 0, 0, 0)
open("noise.png", "wb").write(b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(raw, 1)) + chunk(b"IEND", b""))
END
mkdir -p many && cd many && for i in $(seq 3000); do : > "$(printf '%0200d' $i)"; done`;

const WORST: readonly [tool: string, args: object, mode?: Mode][] = [
  ["bash", { command: "cat controls needles >&2; cat controls needles; exit 1" }],
  ["read", { path: "noise.png" }],
  ["read", { path: "controls" }],
  ["read", { path: "needles", limit: 100_000 }],
  ["grep", { pattern: "needle", limit: 100_000, context: 3 }],
  ["grep", { pattern: "\\x01+", path: "controls" }],
  ["glob", { pattern: "**/*" }],
  ["write", { path: "big", content: "w".repeat(3_000_000) }],
  ["edit", { path: "needles", old_string: "needle", new_string: "x".repeat(200), replace_all: true }],
  ["list_files", { path: "many", depth: 5 }, Mode.PLAN],
];

for (const kind of SANDBOX_KINDS.slice(-1)) {
  describe(`the worst results on ${kind}`, () => {
    it("decode in a stock client, and no event is above 2 MiB", async () => {
      const service = await serviceForTest(kind, { HANDRAIL_MAX_TEXT_BYTES: String(MIB) });
      expect((await service.bash(PREPARE)).result.exit?.status.value).toBe(0);
      const seen = new Set<string>();
      for (const [tool, args, mode] of WORST) {
        const events = await callByGrpcJs(service, tool, args, mode);
        expect(events.at(-1)?.event.case).toBe("result");
        for (const event of events) {
          expect(toBinary(CallEventSchema, event).length, `${tool} ${event.event.case ?? ""}`).toBeLessThan(
            2 * MIB,
          );
        }
        seen.add(tool);
      }
      const listed = await Promise.all(
        [Mode.BUILD, Mode.PLAN].map((mode) => service.tools.listTools({ context: { mode, projectId: "p" } })),
      );
      expect([...seen].sort()).toEqual(
        [...new Set(listed.flatMap(({ tools }) => tools.map(({ name }) => name)))].sort(),
      );
    });
  });
}
