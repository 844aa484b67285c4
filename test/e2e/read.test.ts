import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Outcome } from "../../gen/handrail/v1/result_pb.js";
import type { BlobPart } from "../../gen/handrail/v1/result_pb.js";
import { Keep } from "../../gen/handrail/v1/tool_service_pb.js";
import { SANDBOX_KINDS, startTestService } from "../support/service.js";
import type { Outcome as CallOutcome, TestService } from "../support/service.js";

const blobOf = ({ result }: CallOutcome): BlobPart | undefined =>
  result.content.flatMap(({ part }) => (part.case === "blob" ? [part.value] : []))[0];

for (const kind of SANDBOX_KINDS) {
  describe(`read on ${kind}`, () => {
    let service: TestService;
    const read = (args: Record<string, unknown>) => service.run("read", args);
    const put = async (path: string, bytes: Uint8Array) => {
      const base64 = Buffer.from(bytes).toString("base64");
      const { result } = await service.bash(`base64 -d > '${path}' <<'END'\n${base64}\nEND`);
      expect(result.outcome).toBe(Outcome.OK);
    };

    beforeAll(async () => {
      service = await startTestService(kind);
      await service.bash("seq 1 5000 > numbers.txt; mkdir src; echo x > src/config.ts; : > empty.txt");
    });
    afterAll(() => service.close());

    it("numbers the lines", async () => {
      expect((await read({ path: "numbers.txt", offset: 10, limit: 2 })).text).toMatch(
        /^ {4}10\t10\n {4}11\t11\n/,
      );
    });

    it("says where to go on, and going on there meets the next line", async () => {
      const first = await read({ path: "numbers.txt" });
      const next = Number(/go on with offset (\d+)/.exec(first.text)?.[1]);
      const second = await read({ path: "numbers.txt", offset: next, limit: 1 });
      expect(second.text).toContain(`\t${next}\n`);
      expect(first.text).toContain(`\t${next - 1}\n`);
    });

    it("says that an offset is past the end, and how long the file is", async () => {
      const { result, text } = await read({ path: "numbers.txt", offset: 6000 });
      expect(result.error?.code).toBe("read.past_end");
      expect(text).toContain("5000 lines");
    });

    it("says that a file is empty", async () => {
      expect((await read({ path: "empty.txt" })).text).toBe("(the file is empty)");
    });

    it("takes the workspace's absolute path too", async () => {
      expect((await read({ path: "/workspace/src/config.ts" })).result.outcome).toBe(Outcome.OK);
    });

    it("suggests near names for a missing file", async () => {
      const { result } = await read({ path: "src/confg.ts" });
      expect(result.error?.code).toBe("read.not_found");
      expect(result.error?.hint).toContain("src/config.ts");
    });

    it("refuses a directory and says what it is", async () => {
      expect((await read({ path: "src" })).result.error?.code).toBe("read.is_directory");
    });

    it("names a binary file by its kind", async () => {
      const { result } = await read({ path: "/bin/true" });
      expect(result.error?.code).toBe("read.binary");
      expect(result.error?.message).toContain("ELF");
    });

    for (const path of ["a\0b", `${"x/".repeat(3000)}y`]) {
      it(`refuses the path ${JSON.stringify(path.slice(0, 6))} of ${path.length} characters`, async () => {
        expect((await read({ path })).result.error?.code).toBe("read.invalid_path");
      });
    }

    it("shows a picture as pixels of at most 1568 on the long side", async () => {
      const large = await sharp({ create: { width: 3000, height: 1000, channels: 3, background: "#2a7" } })
        .png()
        .toBuffer();
      await put("large.png", large);
      const blob = blobOf(await read({ path: "large.png" }));
      expect(blob).toMatchObject({ mediaType: "image/png", width: 1568, height: 523 });
      expect(await sharp(blob?.data).metadata()).toMatchObject({ width: 1568, height: 523 });
    });

    it("passes a small picture on byte for byte", async () => {
      const small = await sharp({ create: { width: 8, height: 4, channels: 3, background: "red" } })
        .jpeg()
        .toBuffer();
      await put("small.jpg", small);
      expect(Buffer.from(blobOf(await read({ path: "small.jpg" }))?.data ?? []).equals(small)).toBe(true);
    });

    it("keeps to the text cap of the call and stays readable from there", async () => {
      const { result, text } = await service.run(
        "read",
        { path: "numbers.txt" },
        {
          request: {
            limits: {
              $typeName: "handrail.v1.CallLimits",
              queueMs: 0,
              runMs: 0,
              idleMs: 0,
              maxTextBytes: 2000n,
              keep: Keep.UNSPECIFIED,
            },
          },
        },
      );
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2000);
      expect(result.truncation).toBeUndefined();
      expect(text).toMatch(/go on with offset \d+/);
    });
  });
}
