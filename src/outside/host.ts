import { knownAddress } from "./address.js";
import type { KnownAddress } from "./address.js";
import { OutsideError } from "./outside-error.js";

/** A host as it is judged and dialled. */
export interface Host {
  /** Lower case, without a final dot; punycode for other scripts. A literal address in its canonical form. */
  readonly name: string;
  /** The address, if the host is a literal one in whatever spelling. */
  readonly address: KnownAddress | undefined;
}

/** Longest host name in characters. */
const MAX_HOST_LENGTH = 255;

/**
 * Reads a host by the rules of URLs, by which `0x7f.1`, `017700000001` and `2130706433` are 127.0.0.1, as they are for the
 * operating system. Throws OutsideError `outside.invalid`.
 */
export function readHost(text: string): Host {
  if (text.length > MAX_HOST_LENGTH)
    throw new OutsideError(
      "outside.invalid",
      `a host name of ${text.length} characters is above the limit of ${MAX_HOST_LENGTH}`,
    );
  const plain = text.replace(/^\[(.*)\]$/, "$1");
  const url = `http://${plain.includes(":") ? `[${plain}]` : plain}/`;
  if (/[/?#@\\\s]/.test(plain) || plain === "" || !URL.canParse(url))
    throw new OutsideError(
      "outside.invalid",
      `${JSON.stringify(text.slice(0, 100))} is no host name or address`,
    );
  const name = new URL(url).hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
  const address = knownAddress(name);
  return { name: address?.text ?? name, address };
}
