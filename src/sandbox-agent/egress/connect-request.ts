import type { Duplex } from "node:stream";
import { joinStreams } from "../../sandbox/channel/join-streams.js";
import type { DialBoard } from "./dial-board.js";
import { connectTarget } from "./proxy-target.js";
import { refusalResponse } from "./refusal.js";

const established = "HTTP/1.1 200 Connection Established\r\n\r\n";

/** Serves one CONNECT on the program's connection, to its end. */
export async function serveConnect(
  { authority, socket, head }: { authority: string; socket: Duplex; head: Uint8Array },
  board: DialBoard,
): Promise<void> {
  const ignore = (): void => undefined;
  socket.on("error", ignore);
  const target = connectTarget(authority);
  if (target === undefined) {
    socket.end(
      refusalResponse({ httpStatus: 400, reason: "CONNECT takes host:port, with a port from 1 to 65535" }),
    );
    return;
  }
  const dial = board.ask(target);
  const onClose = (): void => dial.withdraw();
  socket.once("close", onClose);
  const answer = await dial.answer;
  socket.off("close", onClose);
  if (answer.kind === "refused") {
    socket.end(refusalResponse(answer));
    socket.resume();
    return;
  }
  if (socket.destroyed) {
    answer.stream.destroy();
    return;
  }
  if (head.byteLength > 0) socket.unshift(head);
  socket.write(established);
  await joinStreams(answer.stream, socket);
}
