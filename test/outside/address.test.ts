import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { knownAddress } from "../../src/outside/address.js";
import { readHost } from "../../src/outside/host.js";

const kinds: [address: string, kind: string][] = [
  ["1.1.1.1", "public"],
  ["93.184.216.34", "public"],
  ["0.0.0.0", "unspecified"],
  ["0.1.2.3", "unspecified"],
  ["10.0.0.1", "private"],
  ["172.16.0.1", "private"],
  ["172.31.255.255", "private"],
  ["172.32.0.0", "public"],
  ["192.168.255.255", "private"],
  ["127.0.0.1", "loopback"],
  ["127.255.255.254", "loopback"],
  ["100.64.0.1", "carrier-grade NAT"],
  ["100.127.255.255", "carrier-grade NAT"],
  ["100.128.0.0", "public"],
  ["169.254.1.1", "link-local"],
  ["169.254.169.254", "metadata"],
  ["100.100.100.200", "metadata"],
  ["168.63.129.16", "metadata"],
  ["192.0.0.192", "metadata"],
  ["192.0.0.1", "reserved"],
  ["192.0.2.1", "reserved"],
  ["192.88.99.1", "reserved"],
  ["198.18.0.1", "reserved"],
  ["198.19.255.255", "reserved"],
  ["198.51.100.1", "reserved"],
  ["203.0.113.80", "reserved"],
  ["224.0.0.1", "multicast"],
  ["239.255.255.255", "multicast"],
  ["240.0.0.1", "reserved"],
  ["255.255.255.255", "broadcast"],
  ["2606:4700::1111", "public"],
  ["2a00:1450:4001::1", "public"],
  ["::", "unspecified"],
  ["::1", "loopback"],
  ["fe80::1", "link-local"],
  ["febf::1", "link-local"],
  ["fec0::1", "site-local"],
  ["fc00::1", "unique-local"],
  ["fdff::1", "unique-local"],
  ["fd00:ec2::254", "metadata"],
  ["ff02::1", "multicast"],
  ["100::1", "discard"],
  ["2001:db8::1", "reserved"],
  ["3fff::1", "reserved"],
  ["2001:2::1", "benchmarking"],
  ["4000::1", "reserved"],
  ["::ffff:127.0.0.1", "loopback"],
  ["::ffff:a9fe:a9fe", "metadata"],
  ["::ffff:1.1.1.1", "public"],
  ["::127.0.0.1", "loopback"],
  ["64:ff9b::7f00:1", "loopback"],
  ["64:ff9b::169.254.169.254", "metadata"],
  ["64:ff9b::10.0.0.1", "private"],
  ["64:ff9b::1.1.1.1", "public"],
  ["64:ff9b:1::1.1.1.1", "NAT64"],
  ["::ffff:0:127.0.0.1", "loopback"],
  ["2002:7f00:1::", "loopback"],
  ["2002:a9fe:a9fe::", "metadata"],
  ["2002:101:101::", "6to4"],
  ["2001:0:4136:e378:8000:63bf:80ff:fffe", "loopback"],
  ["2001::4136:e378:8000:63bf:fefe:fefe", "teredo"],
];

describe("what an address is", () => {
  for (const [address, kind] of kinds) {
    it(`takes ${address} as ${kind}`, () => {
      expect(knownAddress(address)?.kind).toBe(kind);
    });
  }

  it("is unknown for an address with a zone", () => {
    expect(knownAddress("fe80::1%eth0")).toBeUndefined();
  });
});

const spellings: [text: string, name: string][] = [
  ["2130706433", "127.0.0.1"],
  ["0x7f000001", "127.0.0.1"],
  ["0x7f.1", "127.0.0.1"],
  ["0177.0.0.1", "127.0.0.1"],
  ["017700000001", "127.0.0.1"],
  ["127.1", "127.0.0.1"],
  ["127.0.1", "127.0.0.1"],
  ["0", "0.0.0.0"],
  ["127.0.0.1.", "127.0.0.1"],
  ["１２７.0.0.1", "127.0.0.1"],
  ["127。0。0。1", "127.0.0.1"],
  ["%31%32%37.0.0.1", "127.0.0.1"],
  ["[::1]", "::1"],
  ["0:0:0:0:0:0:0:1", "::1"],
  ["::ffff:7f00:1", "127.0.0.1"],
  ["EXAMPLE.com.", "example.com"],
  ["bücher.example", "xn--bcher-kva.example"],
];

describe("how a host is read", () => {
  for (const [text, name] of spellings) {
    it(`reads ${text} as ${name}`, () => {
      expect(readHost(text).name).toBe(name);
    });
  }

  for (const text of [
    "",
    "a b",
    "a/b",
    "a@b",
    "256.0.0.1",
    "1.2.3.4.5",
    "fe80::1%eth0",
    "a?b",
    "0x1ffffffff",
    "[::1",
  ]) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      expect(() => readHost(text)).toThrow(expect.objectContaining({ code: "outside.invalid" }));
    });
  }

  it("reads every spelling of an IPv4 address as that address", () => {
    const part = (value: number, radix: number): string =>
      radix === 8 ? `0${value.toString(8)}` : radix === 16 ? `0x${value.toString(16)}` : String(value);
    const radix = fc.constantFrom(8, 10, 16);
    const octet = fc.nat({ max: 255 });
    fc.assert(
      fc.property(
        fc.tuple(octet, octet, octet, octet),
        fc.tuple(radix, radix, radix, radix),
        fc.integer({ min: 1, max: 4 }),
        (octets, radixes, parts) => {
          const rest = octets.slice(parts - 1).reduce((sum, value) => sum * 256 + value, 0);
          const text = [...octets.slice(0, parts - 1), rest]
            .map((value, index) => part(value, radixes[index] ?? 10))
            .join(".");
          expect(readHost(text).address?.text).toBe(octets.join("."));
        },
      ),
    );
  });

  it("judges an IPv4 address the same inside IPv6", () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const kind = knownAddress(address)?.kind;
        expect(knownAddress(`::ffff:${address}`)?.kind).toBe(kind);
        expect(knownAddress(`64:ff9b::${address}`)?.kind).toBe(kind);
      }),
    );
  });
});
