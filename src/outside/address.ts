import ipaddr from "ipaddr.js";

/** An address of either family. */
export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** An address and what it is. */
export interface KnownAddress {
  /** Canonical text; an IPv4-mapped IPv6 address stands as IPv4. */
  readonly text: string;
  readonly address: Address;
  /** The IPv4 address inside one of NAT64, 6to4, Teredo and the like. */
  readonly embedded: ipaddr.IPv4 | undefined;
  /** `public`, or the range that keeps it from being so, such as `loopback` or `private`. */
  readonly kind: string;
}

/** Platforms that give instances their metadata and keys at an address outside the link-local range. */
const metadataAddresses = new Set([
  "168.63.129.16",
  "100.100.100.200",
  "192.0.0.192",
  "169.254.169.254",
  "fd00:ec2::254",
]);

const globalUnicast: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse("2000::"), 3];

const kindNames: Readonly<Record<string, string>> = {
  carrierGradeNat: "carrier-grade NAT",
  linkLocal: "link-local",
  uniqueLocal: "unique-local",
  deprecatedSiteLocal: "site-local",
  rfc6052: "NAT64",
  rfc6145: "IPv4-translated",
};

/** Reads an address in its usual text form. Undefined if it is none. */
export function knownAddress(text: string): KnownAddress | undefined {
  if (text.includes("%") || !ipaddr.isValid(text)) return undefined;
  const address = ipaddr.process(text);
  const embedded = address.kind() === "ipv6" ? embeddedIpv4(address as ipaddr.IPv6) : undefined;
  return { text: address.toString(), address, embedded, kind: kindOf(address, embedded) };
}

function kindOf(address: Address, embedded: ipaddr.IPv4 | undefined): string {
  if (metadataAddresses.has(address.toString())) return "metadata";
  if (address.kind() === "ipv4") return rangeName(address);
  if (embedded === undefined) {
    const name = rangeName(address);
    return name === "public" && !(address as ipaddr.IPv6).match(globalUnicast) ? "reserved" : name;
  }
  const inner = kindOf(embedded, undefined);
  if (inner !== "public") return inner;
  return isWellKnownNat64(address as ipaddr.IPv6) ? "public" : rangeName(address);
}

function rangeName(address: Address): string {
  const range = address.range();
  return range === "unicast" ? "public" : (kindNames[range] ?? range);
}

function isWellKnownNat64(address: ipaddr.IPv6): boolean {
  return address.range() === "rfc6052" && address.parts[2] === 0;
}

/** The IPv4 address that packets to this one end up at. */
function embeddedIpv4(address: ipaddr.IPv6): ipaddr.IPv4 | undefined {
  const [, second = 0, third = 0] = address.parts;
  const low = address.parts.slice(6);
  switch (address.range()) {
    case "rfc6052":
    case "rfc6145":
      return fromParts(low);
    case "6to4":
      return fromParts([second, third]);
    case "teredo":
      return fromParts(low.map((part) => part ^ 0xffff));
    case "unicast":
      return address.parts.slice(0, 6).every((part) => part === 0) ? fromParts(low) : undefined;
    default:
      return undefined;
  }
}

function fromParts([high = 0, low = 0]: readonly number[]): ipaddr.IPv4 {
  return new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff]);
}
