// The network address of a client: for limits that count by it, for the audit log, and for API
// clients that may be used from some addresses only.

import type { IncomingMessage } from "node:http";
import ipaddr from "ipaddr.js";
import { type Log, throttledWarning } from "../../../shared/observability/throttled-warning.ts";
import { rangesOf } from "../../../shared/security/address-ranges.ts";
import { type Address, forwardedNodes, readAddress } from "./forwarded.ts";

export interface ClientAddress {
  /** By which limits count: an IPv4 address, or the /64 network of an IPv6 one. */
  network: string;
  /** The whole address; `unknown` if it cannot be read. */
  exact: string;
}

/** Finds the address of a request's client. */
export type FindAddress = (request: IncomingMessage) => ClientAddress;

const UNKNOWN = "unknown";
const UNREADABLE = "The address of a client cannot be read: it shares its proxy's limits";
const WARNED_EVERY_MS = 60_000;
/** Of a node that cannot be read. */
const MAX_SHOWN = 64;

/**
 * Finds the address behind trusted proxies. Each proxy adds the node that it saw, so the last one
 * that is no trusted proxy is the client. If that node is no address, the address of the proxy that
 * wrote it counts: a client must not choose the text by which its limits count.
 * @param proxies the addresses and ranges (CIDR) of the trusted proxies
 */
export function clientAddress(proxies: string[], log: Log): FindAddress {
  const isTrusted = rangesOf(proxies);
  const warn = throttledWarning(performance, log, UNREADABLE, WARNED_EVERY_MS);
  return ({ headers, socket }) => {
    let seen = readAddress(socket.remoteAddress ?? "");
    if (seen === null) return { network: UNKNOWN, exact: UNKNOWN };
    for (const node of forwardedNodes(headers)) {
      if (!isTrusted(seen.toString())) break;
      const before = readAddress(node);
      if (before === null) {
        warn({ proxy: seen.toString(), node: node.slice(0, MAX_SHOWN) });
        return { network: network(seen), exact: UNKNOWN };
      }
      seen = before;
    }
    return { network: network(seen), exact: seen.toString() };
  };
}

/** The IPv6 ranges in which translators write IPv4 addresses (RFC 6052, RFC 6145). */
const TRANSLATED = ["rfc6052", "rfc6145"];

/**
 * The /64 network of an IPv6 address, because a client with one address of it usually has them all.
 * Behind a translator all clients of IPv4 are in one such network, so their own addresses count.
 */
function network(address: Address): string {
  if (address instanceof ipaddr.IPv4) return address.toString();
  if (TRANSLATED.includes(address.range())) {
    return new ipaddr.IPv4(address.toByteArray().slice(-4)).toString();
  }
  return `${new ipaddr.IPv6([...address.parts.slice(0, 4), 0, 0, 0, 0]).toString()}/64`;
}
