// The network address of a client, for limits that count by it and for the audit log.

import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { type Log, throttledWarning } from "../../../shared/observability/throttled-warning.ts";
import { type Address, forwardedNodes, readAddress } from "./forwarded.ts";

/** Finds the address of a request's client. */
export type FindAddress = (request: IncomingMessage) => string;

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
    if (seen === null) return "unknown";
    for (const node of forwardedNodes(headers)) {
      if (!isTrusted(seen)) break;
      const before = readAddress(node);
      if (before === null) {
        warn({ proxy: seen.toString(), node: node.slice(0, MAX_SHOWN) });
        break;
      }
      seen = before;
    }
    return network(seen);
  };
}

function rangesOf(proxies: string[]): (address: Address) => boolean {
  const ranges = new BlockList();
  for (const proxy of proxies) {
    const [address = "", bits] = proxy.split("/");
    const family = isIP(address) === 4 ? "ipv4" : "ipv6";
    if (bits === undefined) ranges.addAddress(address, family);
    else ranges.addSubnet(address, Number(bits), family);
  }
  return (address) => ranges.check(address.toString(), address.kind());
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
