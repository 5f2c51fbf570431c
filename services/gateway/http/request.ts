// The part of an HTTP request that routes read.

import type { IncomingHttpHeaders } from "node:http";
import type { Actor } from "../../../shared/actions.ts";

export interface RouteRequest {
  /** Parameters of the path, decoded. */
  params: Record<string, unknown>;
  /** Parameters of the query. A repeated one is a list; a name with brackets keeps them. */
  query: Record<string, unknown>;
  headers: IncomingHttpHeaders;
  /** Undefined if the request has none. */
  body: unknown;
  /** Null on a public route. */
  caller: Actor | null;
  /** The network address of the client, for limits that count by it. */
  address(): string;
}
