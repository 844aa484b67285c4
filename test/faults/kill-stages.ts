import { setTimeout as sleep } from "node:timers/promises";
import type { CallEvent } from "../../gen/handrail/v1/events_pb.js";
import type { Ground } from "./ground.js";
import type { Loop } from "./loop.js";

/** How far a call has come, as its caller sees it. */
export const STAGES = ["sent", "accepted", "started", "output", "ended", "result"] as const;

/** A stage of a call. */
export type Stage = (typeof STAGES)[number];

/** How often the service was killed at each stage. */
export type Histogram = Record<Stage, number>;

/** The longest wait between reaching a stage and the kill, in ms; 0: none. */
const WAIT_MS: Histogram = { sent: 15, accepted: 0, started: 0, output: 0, ended: 20, result: 0 };

const LAST_WORD = "last word";

/** A histogram of no kills. */
export function noKills(): Histogram {
  return { sent: 0, accepted: 0, started: 0, output: 0, ended: 0, result: 0 };
}

/**
 * Kills the service when a call of the loop has come to a stage, starts it again, and lets the loop end its call. Returns
 * the stage that the call had come to at the kill.
 */
export async function killAtStage(ground: Ground, options: { loop: Loop; aim: Stage }): Promise<Stage> {
  const { loop, aim } = options;
  let seen: Stage = "sent";
  let reach: () => void = () => undefined;
  const reached = new Promise<void>((resolve) => (reach = resolve));
  let output = "";
  const onEvent = ({ event }: CallEvent): void => {
    if (event.case === "accepted" || event.case === "started" || event.case === "result") seen = event.case;
    if (event.case === "output") {
      output += Buffer.from(event.value.data).toString();
      seen = output.includes(LAST_WORD) ? "ended" : "output";
    }
    if (STAGES.indexOf(seen) >= STAGES.indexOf(aim)) reach();
  };
  const background = ground.markedSleep();
  const running = loop.run(
    `echo first; setsid ${background} >/dev/null 2>&1 & sleep 0.05; echo ${LAST_WORD}`,
    { onEvent },
  );
  if (aim === "sent") reach();
  await Promise.race([reached, running]);
  if (WAIT_MS[aim] > 0) await sleep(Math.random() * WAIT_MS[aim]);
  const hit = seen;
  await ground.killService();
  await running;
  return hit;
}
