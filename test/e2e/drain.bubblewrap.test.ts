import { describe, expect, it } from "vitest";
import { Code, ConnectError } from "@connectrpc/connect";
import { AbortSource, Admitted, Outcome } from "../../gen/handrail/v1/result_pb.js";
import { startTestService } from "../support/service.js";

describe("a drain", () => {
  it("lets a running call end", async () => {
    const service = await startTestService("bubblewrap", { HANDRAIL_DRAIN_MS: "10000" });
    const running = service.bash("sleep 1; echo whole");
    await new Promise((resolve) => setTimeout(resolve, 500));
    const closing = service.close();
    expect((await running).text.trim()).toBe("whole");
    await closing;
  });

  it("ends a call that takes longer as INTERRUPTED, with what it printed, and says so to its reader", async () => {
    const service = await startTestService("bubblewrap", { HANDRAIL_DRAIN_MS: "300" });
    await service.bash("true");
    const running = service.bash("echo early; sleep 30");
    await new Promise((resolve) => setTimeout(resolve, 500));
    const closing = service.close();
    const { result, text } = await running;
    expect(result.outcome).toBe(Outcome.INTERRUPTED);
    expect(result.abort?.source).toBe(AbortSource.SHUTDOWN);
    expect(result.error?.admitted).toBe(Admitted.UNKNOWN);
    expect(text).toContain("early\n");
    await closing;
  });

  it("refuses what comes after its beginning", async () => {
    const service = await startTestService("bubblewrap", { HANDRAIL_DRAIN_MS: "3000" });
    const running = service.bash("sleep 1.5");
    await new Promise((resolve) => setTimeout(resolve, 500));
    const closing = service.close();
    await new Promise((resolve) => setTimeout(resolve, 200));
    const refusal = await service.bash("true").then(
      () => undefined,
      (error: unknown) => ConnectError.from(error).code,
    );
    expect(refusal).toBe(Code.Unavailable);
    await running;
    await closing;
  });

  it("leaves no process of a sandbox behind", async () => {
    const service = await startTestService("bubblewrap");
    await service.bash("sleep 5151 >/dev/null 2>&1 &");
    await service.close();
    const { execFileSync } = await import("node:child_process");
    expect(() => execFileSync("pgrep", ["-f", "sleep 515[1]"])).toThrow();
  });
});
