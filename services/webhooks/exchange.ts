// One HTTP exchange with a receiver: bounded in time, headers and body together, and in what is read.
// Connections are kept per endpoint, so that no two businesses ever share one. Never throws: whatever
// a receiver does is a result. Redirects are not followed.

import type { LookupFunction } from "node:net";
import { LRUCache } from "lru-cache";
import { type Dispatcher, Pool } from "undici";
import { REFUSED } from "./destination.ts";
import { parseRetryAfter } from "./schedule.ts";

/** Beside the socket's own buffer; more tells us nothing. */
const MAX_ANSWER_BYTES = 64 * 1_024;
const MAX_HEADER_BYTES = 16 * 1_024;
const MAX_POOLS = 2_000;
const IDLE_CONNECTION_MS = 4_000;

export interface Message {
  endpointId: string;
  url: string;
  headers: Record<string, string>;
  body: string;
}

export interface Answer {
  /** A 2xx whose body ended, or was read as far as we read, in time. */
  delivered: boolean;
  statusCode: number | null;
  durationMs: number;
  /** What went wrong, in words of our own; null where an answer came. */
  error: string | null;
  /** The destination may not be reached at all; trying again is of no use. */
  refused: boolean;
  retryAfterMs: number | null;
}

export interface Client {
  send(message: Message): Promise<Answer>;
  close(): Promise<void>;
}

/**
 * @param timeoutMs for the whole of an exchange
 * @param connections at most, for one endpoint
 */
export function createClient(options: {
  timeoutMs: number;
  connections: number;
  lookup: LookupFunction;
}): Client {
  const { timeoutMs, connections, lookup } = options;
  const pools = new LRUCache<string, Pool>({
    max: MAX_POOLS,
    dispose: (pool) => void pool.close(),
  });

  function poolOf(endpointId: string, origin: string): Pool {
    const key = `${endpointId} ${origin}`;
    const known = pools.get(key);
    if (known) return known;
    const pool = new Pool(origin, {
      connections,
      connect: { lookup, timeout: timeoutMs },
      autoSelectFamily: true,
      allowH2: false,
      keepAliveTimeout: IDLE_CONNECTION_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      // The deadline below covers both.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    pools.set(key, pool);
    return pool;
  }

  return {
    async send({ endpointId, url, headers, body }) {
      const { origin, pathname, search } = new URL(url);
      const begun = performance.now();
      const deadline = new AbortController();
      const timer = setTimeout(() => deadline.abort(), timeoutMs);
      const answer: Answer = {
        delivered: false,
        statusCode: null,
        durationMs: 0,
        error: null,
        refused: false,
        retryAfterMs: null,
      };
      try {
        const response = await poolOf(endpointId, origin).request({
          method: "POST",
          path: pathname + search,
          headers,
          body,
          signal: deadline.signal,
        });
        answer.statusCode = response.statusCode;
        answer.retryAfterMs = retryAfterOf(response);
        await readSome(response.body);
        answer.delivered = response.statusCode >= 200 && response.statusCode < 300;
      } catch (error) {
        answer.refused = codeOf(error) === REFUSED;
        answer.error = deadline.signal.aborted ? "No complete answer in time" : wordsFor(error);
      } finally {
        clearTimeout(timer);
        answer.durationMs = Math.round(performance.now() - begun);
      }
      return answer;
    },

    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
    },
  };
}

function retryAfterOf({ headers }: Dispatcher.ResponseData): number | null {
  const value = headers["retry-after"];
  return parseRetryAfter(Array.isArray(value) ? value[0] : value, Date.now());
}

/** Reads a body to its end, so that its connection can be used again, or to the bound. */
async function readSome(body: AsyncIterable<Buffer>): Promise<void> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    // Leaving the loop closes the connection.
    if (bytes >= MAX_ANSWER_BYTES) return;
  }
}

const WORDS: Record<string, string> = {
  [REFUSED]: "The destination's address is not public",
  ENOTFOUND: "The host name was not found",
  EAI_AGAIN: "The host name could not be looked up",
  ECONNREFUSED: "The connection was refused",
  ECONNRESET: "The connection was closed",
  EPIPE: "The connection was closed",
  UND_ERR_SOCKET: "The connection was closed",
  EHOSTUNREACH: "The host cannot be reached",
  ENETUNREACH: "The host cannot be reached",
  ETIMEDOUT: "No connection in time",
  UND_ERR_CONNECT_TIMEOUT: "No connection in time",
  UND_ERR_HEADERS_OVERFLOW: "The answer's headers are too large",
  EPROTO: "No secure connection could be made",
};

function codeOf(error: unknown): string {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  const found = code ?? cause?.code;
  return typeof found === "string" ? found : "";
}

/** What happened, for the merchant: nothing of the receiver's or the runtime's own words. */
function wordsFor(error: unknown): string {
  const code = codeOf(error);
  const isTls = /CERT|SELF_SIGNED|TLS|SSL|ALTNAME|VERIFY_LEAF/.test(code);
  return WORDS[code] ?? (isTls ? "The certificate was not accepted" : "The exchange failed");
}
