// Where a request comes from.

import { isIP } from "node:net";
import type { FastifyRequest } from "fastify";

/** What a trusted proxy says (TRUST_PROXY) where it is an address; else the connection's. */
export function addressOf({ ip, socket }: FastifyRequest): string {
  return isIP(ip) ? ip : (socket.remoteAddress ?? "unknown");
}
