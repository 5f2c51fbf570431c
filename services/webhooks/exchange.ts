// One HTTP exchange with a receiver: bounded in time, from the lookup of its name to the end of its
// answer, and in what is read. Connections are kept per endpoint, so that no two businesses ever share
// one. Never throws: whatever a receiver does is a result. Redirects are not followed.

import type { LookupFunction } from "node:net";
import { LRUCache } from "lru-cache";
import { type Dispatcher, Pool } from "undici";
import { MAX_RESPONSE_BYTES } from "../../shared/contracts/webhooks.ts";
import { type Answer, CODES, errorWith, failureOf, textOf } from "./answer.ts";
import { connector } from "./connection.ts";
import { parseRetryAfter } from "./schedule.ts";

/** Beside the socket's own buffer; more tells us nothing. */
const MAX_ANSWER_BYTES = 64 * 1_024;
const MAX_HEADER_BYTES = 16 * 1_024;
const IDLE_CONNECTION_MS = 4_000;
/** Long after its connections are closed; what is kept of them weighs 100 KB. */
const IDLE_POOL_MS = 30_000;

export interface Message {
  endpointId: string;
  url: string;
  headers: Record<string, string>;
  body: string;
}

export interface Client {
  send(message: Message): Promise<Answer>;
  close(): Promise<void>;
}

/**
 * @param timeoutMs for the whole of an exchange
 * @param connections at most, for one endpoint
 * @param pools endpoints whose connections are kept at most; one beyond takes the place of the one
 *   that was used least recently, whose exchanges end as they would have
 * @param connectionAgeMs after which a connection is not used again, however busy, so that a name
 *   that has moved is followed
 */
export function createClient(options: {
  timeoutMs: number;
  connections: number;
  pools: number;
  connectionAgeMs: number;
  lookup: LookupFunction;
}): Client {
  const { timeoutMs, connections, connectionAgeMs } = options;
  const connect = connector(options);
  const closing = new Set<Pool>();
  const pools = new LRUCache<string, Pool>({
    max: options.pools,
    ttl: IDLE_POOL_MS,
    updateAgeOnGet: true,
    ttlAutopurge: true,
    dispose: (pool) => {
      const closed = () => void closing.delete(pool);
      closing.add(pool);
      // It fails where the pool has been destroyed.
      pool.close().then(closed, closed);
    },
  });

  function poolOf(endpointId: string, origin: string): Pool {
    const key = `${endpointId} ${origin}`;
    const known = pools.get(key);
    if (known) return known;
    const pool = new Pool(origin, {
      connections,
      connect,
      allowH2: false,
      keepAliveTimeout: IDLE_CONNECTION_MS,
      keepAliveMaxTimeout: IDLE_CONNECTION_MS,
      clientTtl: connectionAgeMs,
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
      const timer = setTimeout(
        () => deadline.abort(errorWith(CODES.noAnswer, "No answer in time")),
        timeoutMs,
      );
      const answer: Answer = {
        statusCode: null,
        durationMs: 0,
        error: null,
        errorClass: null,
        response: null,
        retryAfterMs: null,
      };
      const start: Buffer[] = [];
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
        await readSome(response.body, start);
        const isSuccess = response.statusCode >= 200 && response.statusCode < 300;
        answer.errorClass = isSuccess ? null : "status";
      } catch (error) {
        Object.assign(answer, failureOf(deadline.signal.aborted ? deadline.signal.reason : error));
      } finally {
        clearTimeout(timer);
        answer.response = textOf(Buffer.concat(start));
        answer.durationMs = Math.round(performance.now() - begun);
      }
      return answer;
    },

    async close() {
      pools.clear();
      await Promise.all([...closing].map((pool) => pool.destroy()));
      pools.clear();
    },
  };
}

function retryAfterOf({ headers }: Dispatcher.ResponseData): number | null {
  const value = headers["retry-after"];
  return parseRetryAfter(Array.isArray(value) ? value[0] : value, Date.now());
}

/**
 * Reads a body to its end, so that its connection can be used again, or to the bound.
 * @param start takes what is kept of it, though the rest may never come
 */
async function readSome(body: AsyncIterable<Buffer>, start: Buffer[]): Promise<void> {
  let bytes = 0;
  for await (const chunk of body) {
    // A copy, so that no more than this is kept for as long as the rest takes.
    if (bytes < MAX_RESPONSE_BYTES) start.push(Buffer.from(chunk.subarray(0, MAX_RESPONSE_BYTES)));
    bytes += chunk.length;
    // Leaving the loop closes the connection.
    if (bytes >= MAX_ANSWER_BYTES) return;
  }
}
