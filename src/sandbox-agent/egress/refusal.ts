import { STATUS_CODES } from "node:http";

/** A refusal as a program's user meets it: the status, and why. */
export interface Refusal {
  readonly httpStatus: number;
  readonly reason: string;
}

/** The reason as one line of printable ASCII, fit for a header. */
export function headerText(reason: string): string {
  return reason.replace(/[^\x20-\x7e]/g, "?").slice(0, 400);
}

/** A whole HTTP response that refuses a CONNECT. The reason stands in the status line too, which most programs show. */
export function refusalResponse({ httpStatus, reason }: Refusal): string {
  const body = `handrail egress: ${reason}\n`;
  return [
    `HTTP/1.1 ${httpStatus} ${STATUS_CODES[httpStatus] ?? "Refused"}: ${headerText(reason)}`,
    "Content-Type: text/plain; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Handrail-Egress: ${headerText(reason)}`,
    "Connection: close",
    "",
    body,
  ].join("\r\n");
}
