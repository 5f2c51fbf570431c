// Tells host names of the public internet from those that lead into a private network.

import { parse as parseHost } from "tldts";

/** Suffixes of the public list that lead to no host of the public internet (RFC 7686, RFC 3172). */
const NOT_HOSTS = /\.(?:onion|arpa)$/;

/** Whether a host is a name below a public suffix, such as example.com; an address is none. */
export function isPublicName(hostname: string): boolean {
  const { hostname: plain, isIcann, isIp, domain } = parseHost(hostname);
  // A name with a final dot cannot be used in a TLS handshake (RFC 6066, 3).
  const isPlain = plain === hostname && !hostname.startsWith(".") && !hostname.endsWith(".");
  return isPlain && !NOT_HOSTS.test(hostname) && !isIp && isIcann === true && domain !== null;
}

/**
 * Whether a checkout page may load an image from a host: a public one, or a reserved example name,
 * which leads nowhere (RFC 6761, 6.5).
 */
export function isImageHost(hostname: string): boolean {
  return isPublicName(hostname) || /^(?:[a-z\d-]{1,63}\.)+example$/.test(hostname);
}
