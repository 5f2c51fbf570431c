// Allowed destinations of webhooks. A URL is checked at its registration and before each attempt;
// the resolved addresses are checked when the connection is made, and the connection goes to
// exactly these addresses. So neither a name that changes its answer nor a disguised address
// reaches the inside of our network. Development allows any HTTP(S) destination.

import type { LookupAddress as Address } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { callbackify } from "node:util";
import ipaddr from "ipaddr.js";
import { isPublicName } from "../../../shared/security/public-hosts.ts";
import { CODES, errorWith } from "./answer.ts";

export type Resolve = (hostname: string) => Promise<Address[]>;

const FORM_ANYWHERE = "an http or https URL without credentials and without a fragment";
const FORM_PUBLIC =
  "an https URL with a public host name, on port 443 or 8443, without credentials and without a fragment";

/** Outside development; "" is the scheme's default, 443. */
const PORTS = ["", "8443"];

/** Characters that the URL parser drops or reads as a slash, so that the URL means another one. */
const MISREAD = /[\s\p{Cc}\\]/u;

/**
 * Checks a URL as a destination.
 * @param allowPrivate true in development: http, any address or name, any port
 * @returns the required form, if the URL does not have it; else null
 */
export function destinationError(text: string, allowPrivate: boolean): string | null {
  const form = allowPrivate ? FORM_ANYWHERE : FORM_PUBLIC;
  if (MISREAD.test(text) || !URL.canParse(text)) return form;
  // The parser normalises all notations of an address (WHATWG URL, 3.5).
  const url = new URL(text);
  const isWeb = url.protocol === "https:" || (allowPrivate && url.protocol === "http:");
  if (!isWeb || url.username !== "" || url.password !== "" || url.hash !== "") return form;
  const isOpen = PORTS.includes(url.port) && isPublicName(url.hostname);
  return allowPrivate || isOpen ? null : form;
}

const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR("2000::/3");

/** A public number, but in Azure the machine's own host answers under it. */
const CLOUD_HOST = "168.63.129.16";

/** Whether an address is on the public internet; an IPv6 address that embeds an IPv4 one is not. */
export function isPublicAddress(text: string): boolean {
  // Only the notations of a resolver's answer, without an interface of this machine.
  if (isIP(text) === 0 || text.includes("%") || text === CLOUD_HOST) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== "unicast") return false;
  if (address instanceof ipaddr.IPv4) return true;
  return address.match(GLOBAL_IPV6) && !isIsatap(address);
}

/** Whether the address's last half embeds an IPv4 address, under any prefix (RFC 5214, 6.1). */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return parts[5] === 0x5efe && (parts[4] === 0 || parts[4] === 0x200);
}

/** The codes of getaddrinfo and DNS for an unknown name or a name without an address. */
const NO_SUCH_NAME = ["ENOTFOUND", "ENODATA", "EAI_NONAME", "EAI_NODATA"];

/**
 * A lookup for the sockets of deliveries. Fails with `refused` if one of the addresses is not
 * public, with `notFound` or `notResolved` without an address.
 */
export function checkedLookup(resolve: Resolve, allowPrivate: boolean): LookupFunction {
  const lookUp = callbackify(async (hostname: string): Promise<[Address, ...Address[]]> => {
    const [first, ...others] = await resolve(hostname).catch((error: { code?: string }) => {
      const isNone = NO_SUCH_NAME.includes(error.code ?? "");
      throw errorWith(isNone ? CODES.notFound : CODES.notResolved, `${hostname} has no address`);
    });
    if (!first) throw errorWith(CODES.notFound, `${hostname} has no address`);
    const addresses: [Address, ...Address[]] = [first, ...others];
    if (allowPrivate || addresses.every(({ address }) => isPublicAddress(address))) {
      return addresses;
    }
    throw errorWith(CODES.refused, `${hostname} is not public`);
  });
  return (hostname, options, callback) =>
    lookUp(hostname, (error, addresses) => {
      if (error) return callback(error, "");
      if (options.all) return callback(null, addresses);
      return callback(null, addresses[0].address, addresses[0].family);
    });
}
