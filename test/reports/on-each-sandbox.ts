import { afterAll, beforeAll, describe } from "vitest";
import { SANDBOX_KINDS, startTestService } from "../support/service.js";
import type { Outcome, SandboxKind, TestService } from "../support/service.js";

/** What the tests of one file use on one kind of sandbox. */
export interface Bench {
  readonly kind: SandboxKind;
  /** The service, once it is started. */
  readonly service: () => TestService;
  readonly bash: (command: string, args?: Record<string, unknown>) => Promise<Outcome>;
  readonly read: (path: string, args?: Record<string, unknown>) => Promise<Outcome>;
}

/** Describes tests on every kind of sandbox, or on some, each with one service for all of them. */
export function onEachSandbox(
  name: string,
  define: (bench: Bench) => void,
  options: { environment?: Readonly<Record<string, string>>; kinds?: readonly SandboxKind[] } = {},
): void {
  const { environment = {}, kinds = SANDBOX_KINDS } = options;
  for (const kind of kinds) {
    describe(`${name} on ${kind}`, () => {
      let started: TestService | undefined;
      const service = () => {
        if (started === undefined) throw new Error("the service is not started");
        return started;
      };
      beforeAll(async () => {
        started = await startTestService(kind, environment);
        await started.bash("true");
      });
      afterAll(async () => started?.close());
      define({
        kind,
        service,
        bash: (command, args) => service().bash(command, args),
        read: (path, args = {}) => service().run("read", { path, ...args }),
      });
    });
  }
}

/** The exit code of a call; -1 if it has none. */
export function codeOf({ result }: Outcome): number {
  return result.exit?.status.case === "code" ? result.exit.status.value : -1;
}

/** The first text part of a result: what the tool said, without notices. */
export function bodyOf({ result }: Outcome): string {
  const part = result.content[0]?.part;
  return part?.case === "text" ? part.value.text : "";
}
