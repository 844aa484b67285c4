import { once } from "node:events";
import { ErrorKind } from "../../../gen/handrail/sandbox/v1/agent_service_pb.js";
import { agentFailure } from "../../sandbox/channel/agent-failure.js";
import type { AgentHandlers } from "../../sandbox/channel/agent-handlers.js";
import { Tunnel } from "../../sandbox/channel/tunnel.js";
import { carryTunnel } from "./carry-tunnel.js";
import type { DialBoard } from "./dial-board.js";

/** Makes the handlers of WatchDials and AnswerDial. */
export function createDialHandlers(board: DialBoard): Pick<AgentHandlers, "watchDials" | "answerDial"> {
  return {
    async watchDials(_request, respond, { signal }) {
      if (signal.aborted) return;
      const stop = board.watch((dial) => void respond(dial));
      try {
        await once(signal, "abort");
      } finally {
        stop();
      }
    },
    async answerDial(requests, respond) {
      const input = requests[Symbol.asyncIterator]();
      const first = await input.next();
      const message = first.done === true ? undefined : first.value.message;
      if (message?.case === "refuse") {
        const { dialId, httpStatus, reason } = message.value;
        board.answer(dialId, { kind: "refused", httpStatus, reason });
        return;
      }
      if (message?.case !== "accept")
        throw agentFailure(ErrorKind.INVALID, "the first request must be accept or refuse");
      const tunnel = new Tunnel({ send: (sent) => respond({ message: sent }) });
      if (!board.answer(message.value.dialId, { kind: "connected", stream: tunnel }))
        throw agentFailure(ErrorKind.NOT_FOUND, "the program does not want this connection any more");
      await carryTunnel(tunnel, input);
    },
  };
}
