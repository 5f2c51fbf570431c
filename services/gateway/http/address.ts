// The network address of a client, for limits that count by it and for the audit log.

import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** Finds the address of a request's client. */
export type FindAddress = (request: IncomingMessage) => string;

/**
 * Finds the address behind trusted proxies. Each proxy adds the address that it saw to the end of
 * X-Forwarded-For, so the last one that is no trusted proxy is the client's. If that text is no
 * address, the connection's own address counts.
 * @param proxies the addresses and ranges (CIDR) of the trusted proxies
 */
export function clientAddress(proxies: string[]): FindAddress {
  const trusted = new BlockList();
  for (const proxy of proxies) {
    const [address = "", bits] = proxy.split("/");
    const family = isIP(address) === 4 ? "ipv4" : "ipv6";
    if (bits === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(bits), family);
  }
  const isTrusted = (address: string) =>
    isIP(address) !== 0 && trusted.check(address, isIP(address) === 4 ? "ipv4" : "ipv6");

  return ({ headers, socket }) => {
    const direct = socket.remoteAddress ?? "unknown";
    const forwarded = String(headers["x-forwarded-for"] ?? "").split(",");
    const chain = [...forwarded.map((part) => part.trim()).filter((part) => part !== ""), direct];
    const [leftmost = direct] = chain;
    const seen = chain.findLast((address) => !isTrusted(address)) ?? leftmost;
    return network(isIP(seen) ? seen : direct);
  };
}

/**
 * The /64 network of an IPv6 address, because a client with one address of it usually has them all.
 */
function network(text: string): string {
  if (!isIP(text)) return text;
  // A zone is an interface name on the machine that wrote the address.
  const address = ipaddr.process(text.replace(/%.*$/, ""));
  if (address instanceof ipaddr.IPv4) return address.toString();
  return `${new ipaddr.IPv6([...address.parts.slice(0, 4), 0, 0, 0, 0]).toString()}/64`;
}
