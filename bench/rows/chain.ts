import { interleave } from "../measure/rounds.js";
import { chainUnderTest } from "../parts/chain-under-test.js";
import type { Row } from "../row.js";
import type { Measurement } from "../stage.js";

const CALLS = 400;

/** What the chain costs a call of a tool that does nothing, against the handler alone, with and without the journal. */
export const chain: Measurement = {
  name: "chain",
  kinds: ["local"],
  async measure({ service, quick }) {
    const subject = await chainUnderTest();
    try {
      const meanMs = (call: () => Promise<void>) => async (): Promise<number> => {
        const startedAt = performance.now();
        for (let i = 0; i < CALLS; i += 1) await call();
        return (performance.now() - startedAt) / CALLS;
      };
      const contestants = {
        bare: meanMs(() => subject.bare()),
        chain: meanMs(() => subject.chain()),
        journaled: meanMs(() => subject.journaled()),
      };
      for (const warm of Object.values(contestants)) await warm();
      const rounds = await interleave(
        contestants,
        quick ? { rounds: 3, budgetMs: 2_000 } : { rounds: 10, budgetMs: 8_000 },
      );
      const row = (what: string, name: "chain" | "journaled"): Row => ({
        provider: service.kind,
        what,
        ours: { value: rounds.figure(name), unit: "ms" },
        yardstick: { what: "the handler alone", value: rounds.figure("bare"), unit: "ms" },
        ratio: { value: rounds.ratio(name, "bare"), reads: "times the yardstick" },
      });
      return [
        row("a tool that does nothing, by the chain, in memory", "chain"),
        row("a tool that does nothing, by the chain, with the journal", "journaled"),
      ];
    } finally {
      await subject.close();
    }
  },
};
