import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { FileInfoSchema } from "../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { ReadArtifactRequestSchema } from "../../gen/handrail/v1/tool_service_pb.js";
import { readArtifact } from "../../src/rpc/read-artifact.js";
import { createMasker } from "../../src/secrets/masker.js";
import type { Workspace, WorkspaceFiles } from "../../src/workspace/workspace.js";

const VALUE = "token-0123456789-abcdef";
const masker = createMasker([{ name: "TOKEN", value: VALUE }]);

/** A workspace with one artifact, sent in pieces of a few bytes. */
function workspaceWith(content: string, pieceBytes: number): Workspace {
  const readRange: WorkspaceFiles["readRange"] = async ({ offsetBytes, limitBytes, onInfo, onData }) => {
    onInfo(create(FileInfoSchema, { sizeBytes: BigInt(content.length) }));
    const end = limitBytes === 0 ? content.length : offsetBytes + limitBytes;
    const bytes = Buffer.from(content).subarray(offsetBytes, end);
    for (let at = 0; at < bytes.length; at += pieceBytes) await onData(bytes.subarray(at, at + pieceBytes));
  };
  return { home: "/home/agent", files: { readRange } } as unknown as Workspace;
}

async function read(content: string, range: { offset: number; limit: number; pieceBytes: number }) {
  const request = create(ReadArtifactRequestSchema, {
    artifactId: "a",
    offsetBytes: BigInt(range.offset),
    limitBytes: BigInt(range.limit),
  });
  const workspace = workspaceWith(content, range.pieceBytes);
  const pieces: Uint8Array[] = [];
  const { signal } = new AbortController();
  for await (const { data } of readArtifact(request, { workspace, masker, signal })) {
    if (data !== undefined) pieces.push(data);
  }
  return Buffer.concat(pieces).toString();
}

describe("a part of an artifact", () => {
  it("shows nothing of a secret, wherever it begins and ends, and every other byte at its place", async () => {
    const content = `start ${VALUE} middle ${Buffer.from(VALUE).toString("base64")} end`;
    const covered = await read(content, { offset: 0, limit: 0, pieceBytes: 1000 });
    expect(covered).toHaveLength(content.length);
    expect(covered).toMatch(/^start \*+ middle \*+=* end$/);
    for (const limit of [1, 5, 20, 0]) {
      for (let offset = 0; offset <= content.length; offset += 1) {
        const expected = covered.slice(offset, limit === 0 ? undefined : offset + limit);
        for (const pieceBytes of [1, 7])
          expect(await read(content, { offset, limit, pieceBytes })).toBe(expected);
      }
    }
  });
});
