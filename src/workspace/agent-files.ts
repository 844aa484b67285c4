import { AgentService } from "../../gen/handrail/sandbox/v1/agent_service_pb.js";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type {
  FileInfo,
  ListTreeResponse,
  ReadBytesRequestSchema,
  ReadBytesResponse,
  ReadLinesResponse,
  StatResponse,
  WriteFileResponse,
} from "../../gen/handrail/sandbox/v1/agent_service_pb.js";
import type { AgentClient } from "../sandbox/channel/agent-client.js";
import type { SandboxWatch } from "./sandbox-watch.js";
import type { ListTreeOptions, ReadLinesOptions, WorkspaceFiles, WriteFileOptions } from "./workspace.js";

/** Longest look for the first line of a window, in ms. */
const SCAN_MS = 10_000;

/** Bytes of a file that are sent at once. */
const PIECE_BYTES = 64 * 1024;

/** The files of a workspace by its agent. */
export class AgentFiles implements WorkspaceFiles {
  readonly #client: AgentClient;
  readonly #watch: SandboxWatch;

  constructor(client: AgentClient, watch: SandboxWatch) {
    this.#client = client;
    this.#watch = watch;
  }

  async readLines(options: ReadLinesOptions): Promise<ReadLinesResponse> {
    const { path, firstLine, maxLines, maxBytes, maxLineBytes, lineOffsetBytes = 0, signal } = options;
    signal.throwIfAborted();
    try {
      const request = {
        ...{ path, firstLine, maxLines, maxBytes, maxLineBytes },
        lineOffsetBytes: BigInt(lineOffsetBytes),
        scanMs: SCAN_MS,
      };
      return await this.#watch.answer(this.#client.call(AgentService.method.readLines, request, { signal }));
    } catch (error) {
      throw await this.#watch.nameLoss(error, "no");
    }
  }

  async readAll(options: {
    path: string;
    maxFileBytes: number;
    signal: AbortSignal;
  }): Promise<{ info: FileInfo; data: Uint8Array }> {
    const { path, maxFileBytes, signal } = options;
    const chunks: Uint8Array[] = [];
    let info: FileInfo | undefined;
    const limit = BigInt(maxFileBytes);
    await this.#readBytes({ path, maxFileBytes: limit, limitBytes: limit }, signal, (response) => {
      info ??= response.info;
      chunks.push(response.data);
    });
    if (info === undefined) throw new Error("the agent sent a file without saying what it is");
    return { info, data: Buffer.concat(chunks) };
  }

  async readRange(options: Parameters<WorkspaceFiles["readRange"]>[0]): Promise<void> {
    const { path, offsetBytes, limitBytes, onInfo, onData, signal } = options;
    const request = { path, offsetBytes: BigInt(offsetBytes), limitBytes: BigInt(limitBytes) };
    await this.#readBytes(request, signal, ({ info, data }) => {
      if (info !== undefined) onInfo(info);
      if (data.length > 0) return onData(data);
    });
  }

  async #readBytes(
    request: MessageInitShape<typeof ReadBytesRequestSchema>,
    signal: AbortSignal,
    onResponse: (response: ReadBytesResponse) => void | Promise<void>,
  ): Promise<void> {
    signal.throwIfAborted();
    try {
      const stream = this.#client.stream(AgentService.method.readBytes, { signal, onResponse });
      const sent = stream.send(request);
      stream.end();
      await Promise.race([sent, stream.done]);
      await this.#watch.answer(stream.done);
    } catch (error) {
      throw await this.#watch.nameLoss(error, "no");
    }
  }

  async stat({ path, signal }: { path: string; signal: AbortSignal }): Promise<StatResponse> {
    signal.throwIfAborted();
    try {
      return await this.#watch.answer(this.#client.call(AgentService.method.stat, { path }, { signal }));
    } catch (error) {
      throw await this.#watch.nameLoss(error, "no");
    }
  }

  async writeFile(options: WriteFileOptions): Promise<WriteFileResponse> {
    const { path, data, ifVersion = "", mustCreate = false, signal } = options;
    signal.throwIfAborted();
    let response: WriteFileResponse | undefined;
    try {
      const stream = this.#client.stream(AgentService.method.writeFile, {
        signal,
        onResponse: (received) => {
          response = received;
        },
      });
      const start = { path, ifVersion, mustCreate };
      const send = async (): Promise<void> => {
        await stream.send({ message: { case: "start", value: start } });
        for (let at = 0; at < data.length; at += PIECE_BYTES)
          await stream.send({ message: { case: "data", value: data.subarray(at, at + PIECE_BYTES) } });
        stream.end();
      };
      await this.#watch.answer(Promise.race([stream.done, send().then(() => stream.done)]));
    } catch (error) {
      throw await this.#watch.nameLoss(error, "unknown");
    }
    if (response === undefined) throw new Error("the agent wrote a file without an answer");
    return response;
  }

  async listTree({ signal, ...request }: ListTreeOptions): Promise<ListTreeResponse> {
    signal.throwIfAborted();
    try {
      return await this.#watch.answer(this.#client.call(AgentService.method.listTree, request, { signal }));
    } catch (error) {
      throw await this.#watch.nameLoss(error, "no");
    }
  }
}
