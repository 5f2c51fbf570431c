// Where a request comes from, for limits that count by network address.

import { isIP } from "node:net";
import type { FastifyRequest } from "fastify";
import ipaddr from "ipaddr.js";

/**
 * What a trusted proxy says (TRUST_PROXY) where it is an address; else the connection's. Of IPv6 it is
 * the network of 64 bits: whoever has one address of it has them all.
 */
export function addressOf({ ip, socket }: Pick<FastifyRequest, "ip" | "socket">): string {
  const address = isIP(ip) ? ip : socket.remoteAddress;
  return address === undefined ? "unknown" : networkOf(address);
}

function networkOf(text: string): string {
  // A zone names an interface of whoever wrote it.
  const address = ipaddr.process(text.replace(/%.*$/, ""));
  if (address instanceof ipaddr.IPv4) return address.toString();
  return `${new ipaddr.IPv6([...address.parts.slice(0, 4), 0, 0, 0, 0]).toString()}/64`;
}
