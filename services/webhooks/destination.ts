// Destinations: where webhooks may go. A URL is checked when it is registered and again before each
// attempt; the addresses that its name resolves to are checked when the connection is made, and that
// connection goes to the very addresses that were checked. So a name that changes its answer, or an
// address in disguise, does not reach what lies inside. Development may go anywhere by HTTP(S).

import type { LookupAddress as Address } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { callbackify } from "node:util";
import ipaddr from "ipaddr.js";
import { isPublicName } from "../../shared/public-hosts.ts";
import { CODES, errorWith } from "./answer.ts";

/** All addresses of a host name. */
export type Resolve = (hostname: string) => Promise<Address[]>;

const FORM_ANYWHERE = "an http or https URL without credentials and without a fragment";
const FORM_PUBLIC =
  "an https URL with a public host name, on port 443 or 8443, without credentials and without a fragment";

/** Outside development; "" is the scheme's own, 443. */
const PORTS = ["", "8443"];

/** What the parser would drop, or read as a slash: such a URL is not what whoever wrote it meant. */
const MISREAD = /[\s\p{Cc}\\]/u;

/**
 * What the URL must be, where it may not be a destination; else null.
 * @param allowPrivate as in development: http, addresses and names of any kind, any port
 */
export function destinationError(text: string, allowPrivate: boolean): string | null {
  const form = allowPrivate ? FORM_ANYWHERE : FORM_PUBLIC;
  if (MISREAD.test(text) || !URL.canParse(text)) return form;
  // The parser has made one form of all the notations of an address (WHATWG URL, 3.5).
  const url = new URL(text);
  const isWeb = url.protocol === "https:" || (allowPrivate && url.protocol === "http:");
  if (!isWeb || url.username !== "" || url.password !== "" || url.hash !== "") return form;
  const isOpen = PORTS.includes(url.port) && isPublicName(url.hostname);
  return allowPrivate || isOpen ? null : form;
}

const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR("2000::/3");

/** Public by its number, but in a cloud (Azure) it is the machine's own host that answers. */
const CLOUD_HOST = "168.63.129.16";

/** Whether an address is one of the public internet; none that embeds an IPv4 address is. */
export function isPublicAddress(text: string): boolean {
  // Only the notations of a resolver's answer, and none that names an interface of this machine.
  if (isIP(text) === 0 || text.includes("%") || text === CLOUD_HOST) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== "unicast") return false;
  if (address instanceof ipaddr.IPv4) return true;
  return address.match(GLOBAL_IPV6) && !isIsatap(address);
}

/** Whether the address's last half embeds an IPv4 address, under whatever prefix (RFC 5214, 6.1). */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return parts[5] === 0x5efe && (parts[4] === 0 || parts[4] === 0x200);
}

/** The codes by which getaddrinfo and DNS say that there is no such name, or no address of it. */
const NO_SUCH_NAME = ["ENOTFOUND", "ENODATA", "EAI_NONAME", "EAI_NODATA"];

/**
 * A lookup for the sockets of deliveries. Fails with `refused` where any of the addresses is not
 * public, with `notFound` or `notResolved` where there is none.
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
