// Ranges of network addresses (CIDR, RFC 4632 and RFC 4291): of trusted proxies, and of those that
// may use an API client. An IPv4 address in the form of an IPv6 one counts as IPv4.

import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

const { IPv4, IPv6 } = ipaddr;
/** Of the prefix `::ffff:0:0/96`, which stands before an IPv4 address. */
const MAPPED_BITS = 96;

/**
 * Reads a range, or an address as the range of it alone.
 * @returns the range in its shortest form, without the bits after its prefix; null for any other
 *   text
 */
export function readRange(text: string): string | null {
  const [address = ""] = text.split("/");
  const family = isIP(address);
  // Node takes the name of an interface for a part of the address.
  if (family === 0 || address.includes("%")) return null;
  const whole = text === address ? `${text}/${family === 4 ? 32 : 128}` : text;
  if (!ipaddr.isValidCIDR(whole)) return null;
  const [base, bits] = ipaddr.parseCIDR(whole);
  if (base instanceof IPv4) return `${IPv4.networkAddressFromCIDR(whole).toString()}/${bits}`;
  if (!base.isIPv4MappedAddress() || bits < MAPPED_BITS) {
    return `${IPv6.networkAddressFromCIDR(whole).toString()}/${bits}`;
  }
  return readRange(`${base.toIPv4Address().toString()}/${bits - MAPPED_BITS}`);
}

/** @returns whether an address is in one of the ranges; what is no address is in none */
export function rangesOf(ranges: readonly string[]): (address: string) => boolean {
  const bounds = ranges
    .map(readRange)
    .filter((range) => range !== null)
    .map((range) => ipaddr.parseCIDR(range));
  return (given) => {
    if (isIP(given) === 0) return false;
    const address = ipaddr.process(given);
    return bounds.some(
      ([base, bits]) => base.kind() === address.kind() && address.match(base, bits),
    );
  };
}
