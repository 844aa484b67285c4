import { Mode as ModeMessage } from "../../gen/handrail/v1/context_pb.js";
import type { Mode } from "../domain/mode.js";

/** The mode that holds: plan if the request or the session says so. */
export function effectiveMode(requested: ModeMessage, session: Mode | undefined): Mode {
  return requested === ModeMessage.PLAN || session === "plan" ? "plan" : "build";
}

/** The mode as a message. */
export function modeMessage(mode: Mode): ModeMessage {
  return mode === "plan" ? ModeMessage.PLAN : ModeMessage.BUILD;
}
