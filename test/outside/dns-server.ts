import { createSocket } from "node:dgram";
import { once } from "node:events";
import { onTestFinished } from "vitest";

const TYPE_A = 1;
const TYPE_AAAA = 28;

/** A name server on the loopback, closed with the test, that knows the given names; a name with no address is never answered. */
export async function dnsServer(
  names: Readonly<Record<string, { a?: string; aaaa?: number[] }>>,
): Promise<string> {
  const socket = createSocket("udp4");
  socket.on("message", (query, { port, address }) => {
    const { name, type, end } = questionOf(query);
    const known = names[name];
    if (known !== undefined && Object.keys(known).length === 0) return;
    const data =
      type === TYPE_A && known?.a !== undefined
        ? Buffer.from(known.a.split(".").map(Number))
        : type === TYPE_AAAA && known?.aaaa !== undefined
          ? Buffer.from(known.aaaa.flatMap((part) => [part >> 8, part & 0xff]))
          : undefined;
    const head = Buffer.alloc(12);
    query.copy(head, 0, 0, 2);
    head.writeUInt16BE(known === undefined ? 0x8183 : 0x8180, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(data === undefined ? 0 : 1, 6);
    const record =
      data === undefined ? [] : [Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length]), data];
    socket.send(Buffer.concat([head, query.subarray(12, end), ...record]), port, address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  onTestFinished(() => void socket.close());
  return `127.0.0.1:${socket.address().port}`;
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}
