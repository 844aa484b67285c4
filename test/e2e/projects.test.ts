import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb.js";
import { SandboxState, UploadMode } from "../../gen/handrail/v1/project_service_pb.js";
import { AbortSource, Outcome } from "../../gen/handrail/v1/result_pb.js";
import { SANDBOX_KINDS, startTestService } from "../support/service.js";
import type { TestService } from "../support/service.js";

const execute = promisify(execFile);
const MIB = 1024 * 1024;

async function folder(files: Record<string, string | Buffer>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "handrail-files-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(root, name, ".."), { recursive: true });
    await writeFile(join(root, name), content);
  }
  return root;
}

async function tar(root: string, ...options: string[]): Promise<Buffer> {
  const { stdout } = await execute("tar", ["-C", root, "-c", ...options, "."], {
    encoding: "buffer",
    maxBuffer: 256 * MIB,
  });
  return stdout;
}

async function statusOf(promise: Promise<unknown>): Promise<[Code, string | undefined, ConnectError]> {
  const error = await promise.then(
    () => new Error("it was not refused"),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ConnectError)) throw error;
  return [error.code, error.findDetails(ErrorInfoSchema)[0]?.reason, error];
}

for (const kind of SANDBOX_KINDS) {
  describe(`a project on ${kind}`, () => {
    let service: TestService;
    let projectId: string;

    beforeAll(async () => {
      service = await startTestService(kind);
      projectId = service.project;
      await service.projects.createProject({ projectId });
    });
    afterAll(() => service.close());
    beforeEach(async () => {
      await service.projects.resetWorkspace({ projectId });
    });

    async function upload(archive: Buffer, more: { path?: string; mode?: UploadMode } = {}) {
      const uploadId = randomUUID();
      for (let offset = 0; ; offset += MIB) {
        const data = archive.subarray(offset, offset + MIB);
        const finish = offset + MIB >= archive.length;
        const answer = await service.projects.uploadFiles({
          projectId,
          uploadId,
          offset: BigInt(offset),
          data,
          finish,
          ...more,
        });
        if (finish) return answer;
      }
    }

    async function download(request: { path?: string; gzip?: boolean; exclude?: string[] } = {}) {
      const pieces: Uint8Array[] = [];
      let complete: { bytes: bigint; warnings: string[] } | undefined;
      for await (const { message } of service.projects.downloadFiles({ projectId, ...request })) {
        if (message.case === "data") pieces.push(message.value);
        if (message.case === "complete") complete = message.value;
      }
      const archive = Buffer.concat(pieces);
      expect(Number(complete?.bytes)).toBe(archive.length);
      return archive;
    }

    async function unpacked(archive: Buffer): Promise<string> {
      const root = await folder({ "../archive.tar": "" });
      await writeFile(`${root}.tar`, archive);
      onTestFinished(() => rm(`${root}.tar`));
      await execute("tar", ["-x", "-C", root, "-f", `${root}.tar`]);
      return root;
    }

    it("is made once and says how it is", async () => {
      const again = await service.projects.createProject({ projectId });
      expect(again.created).toBe(false);
      const { project } = await service.projects.getProject({ projectId });
      expect(project).toMatchObject({
        projectId,
        sandbox: SandboxState.RUNNING,
        generation: 1,
        agentConnected: true,
        callsRunning: 0,
      });
      expect(Math.abs(Date.now() - Number(project?.lastUsedAt?.seconds) * 1000)).toBeLessThan(60_000);
    });

    it("that does not exist is NOT_FOUND for every RPC but CreateProject", async () => {
      const absent = { projectId: "absent" };
      const { projects } = service;
      const asked = [
        () => projects.getProject(absent),
        () => projects.uploadFiles({ ...absent, uploadId: "u" }),
        () => projects.resetWorkspace(absent),
        () => projects.restartSandbox(absent),
        () => projects.deleteProject(absent),
        () => projects.downloadFiles(absent)[Symbol.asyncIterator]().next(),
      ];
      for (const ask of asked)
        expect((await statusOf(ask())).slice(0, 2)).toEqual([Code.NotFound, "NOT_FOUND"]);
    });

    it("takes files by an archive in pieces and gives them back byte for byte", async () => {
      const big = Buffer.alloc(3 * MIB, "0123456789abcdef\n");
      const root = await folder({ "a/b/deep.txt": "deep\n", "big.bin": big, "run.sh": "#!/bin/sh\n" });
      await symlink("a/b/deep.txt", join(root, "link"));
      await execute("chmod", ["755", join(root, "run.sh")]);
      const answer = await upload(await tar(root));
      expect(answer).toMatchObject({ finished: true, entries: 6, callsRunning: 0 });
      const { stdout } = await service.bash("cat link; stat -c %a run.sh; sha256sum < big.bin");
      const { stdout: hash } = await execute("sh", ["-c", `sha256sum < ${join(root, "big.bin")}`]);
      expect(stdout.toString()).toBe(`deep\n755\n${hash}`);

      const back = await unpacked(await download());
      const { stdout: difference } = await execute("diff", ["-r", "--no-dereference", root, back]);
      expect(difference).toBe("");
    });

    it("takes a gzip archive into a directory and gives one back without what is left out", async () => {
      const root = await folder({
        "keep.txt": "keep",
        "node_modules/x/index.js": "x",
        "src/node_modules/y": "y",
      });
      await upload(await tar(root, "-z"), { path: "app/new" });
      const archive = await download({ path: "app/new", gzip: true, exclude: ["node_modules"] });
      const back = await unpacked(gunzipSync(archive));
      const { stdout } = await execute("find", [back, "-mindepth", "1", "-printf", "%P\n"]);
      expect(stdout.split("\n").sort()).toEqual(["", "keep.txt", "src"]);
      const one = await unpacked(await download({ path: "app/new/keep.txt" }));
      expect(await readFile(join(one, "keep.txt"), "utf8")).toBe("keep");
    });

    it("merges by default and replaces if told to", async () => {
      await service.bash("mkdir -p d/sub; echo old > d/old; echo old > d/both; chmod 500 d/sub");
      const root = await folder({ both: "new", added: "new" });
      await upload(await tar(root), { path: "d" });
      expect((await service.bash("cd d && head *")).stdout.toString()).toContain("==> old <==\nold");
      await upload(await tar(root), { path: "d", mode: UploadMode.REPLACE });
      expect((await service.bash("ls d; cat d/both")).stdout.toString()).toBe("added\nboth\nnew");
    });

    it("takes a piece again, and names the offset after a gap", async () => {
      const archive = await tar(await folder({ a: "a".repeat(3000) }));
      const piece = (offset: number, end: number, finish = false) =>
        service.projects.uploadFiles({
          ...{ projectId, uploadId: "resumed", finish },
          offset: BigInt(offset),
          data: archive.subarray(offset, end),
        });
      expect((await piece(0, 1000)).receivedBytes).toBe(1000n);
      expect((await piece(0, 1000)).receivedBytes).toBe(1000n);
      const [code, reason, error] = await statusOf(piece(2000, 3000));
      expect([code, reason]).toEqual([Code.FailedPrecondition, "UPLOAD_OFFSET"]);
      expect(error.findDetails(ErrorInfoSchema)[0]?.metadata).toEqual({ expected_offset: "1000" });
      await piece(1000, 3000);
      expect((await piece(3000, archive.length, true)).finished).toBe(true);
      expect((await service.bash("wc -c < a")).stdout.toString().trim()).toBe("3000");
    });

    it("refuses an archive that is none, or leads out, and changes nothing", async () => {
      await service.bash("echo here > here");
      const root = await folder({ x: "x" });
      const bad = [
        Buffer.from("this is no archive ".repeat(100)),
        await tar(root, "-P", "--transform=s,.*x$,/tmp/out,"),
        await tar(root, "-P", "--transform=s,.*x$,../../out,"),
        (await tar(await folder({ y: "y".repeat(50_000) }))).subarray(0, 20_000),
      ];
      for (const archive of bad)
        expect((await statusOf(upload(archive, { mode: UploadMode.REPLACE }))).slice(0, 2)).toEqual([
          Code.InvalidArgument,
          "BAD_ARCHIVE",
        ]);
      expect((await service.bash("ls; ls /tmp/out ../out 2>&1 | wc -l")).stdout.toString()).toBe("here\n2\n");
    });

    it("keeps an upload in a place of its own whatever its id", async () => {
      const archive = await tar(await folder({ x: "x" }));
      for (const uploadId of ["..", ".", "-rf"]) {
        const piece = { projectId, uploadId, data: archive, finish: true };
        expect((await service.projects.uploadFiles(piece)).finished).toBe(true);
      }
      const { stdout } = await service.bash(
        "ls -A ~/.handrail; ls -A ~/.handrail/uploads | grep -E '^upload[.](-rf|[.]+)$'",
      );
      expect(stdout.toString()).toBe("uploads\n");
    });

    it("refuses a path that leads out and says when one does not exist", async () => {
      const archive = await tar(await folder({ x: "x" }));
      for (const path of ["../other", "/etc", "a/../../b"]) {
        expect((await statusOf(upload(archive, { path }))).slice(0, 2)).toEqual([
          Code.FailedPrecondition,
          "FILES_FAILED",
        ]);
        expect((await statusOf(download({ path })))[1]).toBe("FILES_FAILED");
      }
      const [, , error] = await statusOf(download({ path: "missing" }));
      expect(error.rawMessage).toBe('"missing" does not exist in the workspace');
    });

    it("is emptied, with files that nobody may write, and what runs in it is ended", async () => {
      const running = service.run("bash", { command: "sleep 60" });
      await service.bash("mkdir -p ro/deep; touch ro/deep/f .hidden; chmod -R a-w ro; echo kept > ~/kept");
      const answer = await service.projects.resetWorkspace({ projectId });
      expect(answer).toMatchObject({ callsAborted: 1, entriesRemoved: 2 });
      const { result } = await running;
      expect([result.outcome, result.abort?.source]).toEqual([Outcome.CANCELED, AbortSource.ABORT_PROJECT]);
      expect((await service.bash("ls -A; cat ~/kept")).stdout.toString()).toBe("kept\n");
    });

    it("gets a new sandbox and keeps its files", async () => {
      await service.bash("echo kept > kept; echo lost > /tmp/lost");
      const before = (await service.projects.getProject({ projectId })).project?.generation ?? 0;
      const running = service.run("bash", { command: "sleep 60" });
      await service.bash("true");
      const { callsAborted, project } = await service.projects.restartSandbox({ projectId });
      expect([callsAborted, project?.generation]).toEqual([1, before + 1]);
      expect((await running).result.outcome).toBe(Outcome.CANCELED);
      const { text } = await service.bash("cat kept; ls /tmp/lost 2>&1 | wc -l");
      expect(text).toContain("kept\n1");
      expect(text).toContain(`The sandbox was replaced (generation ${before + 1})`);
    });

    it("is deleted with its files, and can be made again", async () => {
      const other = `${projectId}-2`;
      await service.projects.createProject({ projectId: other });
      await service.run("bash", { command: "echo x > x" }, { request: { context: { projectId: other } } });
      await service.projects.deleteProject({ projectId: other });
      expect((await statusOf(service.projects.getProject({ projectId: other })))[1]).toBe("NOT_FOUND");
      const again = await service.projects.createProject({ projectId: other });
      expect(again.created).toBe(true);
      const { stdout } = await service.run(
        "bash",
        { command: "ls" },
        { request: { context: { projectId: other } } },
      );
      expect(stdout.toString()).toBe("");
      await service.projects.deleteProject({ projectId: other });
    });

    it("is no project with a lost sandbox when it is used again after it was deleted", async () => {
      const other = `${projectId}-3`;
      const run = () =>
        service.run("bash", { command: "true" }, { request: { context: { projectId: other } } });
      await run();
      await service.projects.deleteProject({ projectId: other });
      const { result, events } = await run();
      expect([result.outcome, result.recovered, result.notices]).toEqual([Outcome.OK, false, []]);
      expect(events.at(-1)?.generation).toBe(1);
      await service.projects.deleteProject({ projectId: other });
    });
  });
}
