// Host names of the public internet, told from those that lead into somebody's own network.

import { parse as parseHost } from "tldts";

/** Suffixes of the public list that lead to no host of the public internet (RFC 7686, RFC 3172). */
const NOT_HOSTS = /\.(?:onion|arpa)$/;

/** Whether a host is a name below a public suffix, such as example.com; an address is none. */
export function isPublicName(hostname: string): boolean {
  const { hostname: plain, isIcann, isIp, domain } = parseHost(hostname);
  // With its last dot a name cannot be asked for in a TLS handshake (RFC 6066, 3).
  const isPlain = plain === hostname && !hostname.startsWith(".") && !hostname.endsWith(".");
  return isPlain && !NOT_HOSTS.test(hostname) && !isIp && isIcann === true && domain !== null;
}
