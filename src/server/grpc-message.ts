const outsideText = /[^ -~]|%/gu;
const edgeSpaces = /^ +| +$/g;

function percentEncode(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`)
    .join("");
}

/**
 * Encodes a status message as the gRPC specification has it for `grpc-message`: every byte outside of printable ASCII,
 * and `%`, is percent-encoded. So are spaces at the edges, because HTTP drops them. Clients that decode with
 * `decodeURI`, as grpc-js does, read slashes, commas and the like only if they are not encoded.
 */
export function encodeGrpcMessage(message: string): string {
  return message.replace(outsideText, percentEncode).replace(edgeSpaces, percentEncode);
}

/** Encodes a message anew that was encoded by `encodeURIComponent`. */
export function recodeGrpcMessage(encoded: string): string {
  return encodeGrpcMessage(decodeURIComponent(encoded));
}
