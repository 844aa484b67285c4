const GRPC_UNIT_MS: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1000,
  m: 1,
  u: 1e-3,
  n: 1e-6,
};

/** Reads `grpc-timeout`: 1 to 8 digits and a unit. Undefined if the text is none. In ms. */
export function parseGrpcTimeout(text: string): number | undefined {
  const match = /^(\d{1,8})([HMSmun])$/.exec(text);
  const unit = GRPC_UNIT_MS[match?.[2] ?? ""];
  return unit === undefined ? undefined : Number(match?.[1]) * unit;
}

/** Reads `connect-timeout-ms`: 1 to 10 digits. Undefined if the text is none. In ms. */
export function parseConnectTimeout(text: string): number | undefined {
  return /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}

/** The deadline that a request brings, in ms from its arrival; undefined if it brings none. */
export function requestTimeoutMs(header: Headers): number | undefined {
  const grpc = header.get("grpc-timeout");
  if (grpc !== null) return parseGrpcTimeout(grpc);
  const connect = header.get("connect-timeout-ms");
  return connect === null ? undefined : parseConnectTimeout(connect);
}
