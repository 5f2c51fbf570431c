// One HTTP exchange with a receiver, bounded in time (from the lookup of the name to the end of the
// answer) and in bytes read. Connections are kept per endpoint, so that two businesses never share
// one. Never throws: every behaviour of a receiver is a result. Redirects are not followed.

import type { IncomingHttpHeaders } from "node:http";
import type { LookupFunction } from "node:net";
import { LRUCache } from "lru-cache";
import { type Dispatcher, Pool } from "undici";
import { systemClock } from "../../shared/clock.ts";
import { MAX_RESPONSE_BYTES } from "../../shared/contracts/deliveries.ts";
import {
  type Answer,
  CODES,
  describeFailure,
  errorWith,
  NO_ANSWER,
  printableText,
} from "./answer.ts";
import { connector } from "./connection.ts";
import { parseRetryAfter } from "./schedule.ts";

/** Beside the socket's own buffer; reading stops here. */
const MAX_ANSWER_BYTES = 64 * 1_024;
const MAX_HEADER_BYTES = 16 * 1_024;
const IDLE_CONNECTION_MS = 4_000;
/** Long after its connections are closed; a pool takes 100 KB. */
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
 * @param timeoutMs for a whole exchange
 * @param connections the most connections of one endpoint
 * @param pools the most endpoints with kept connections; a further one replaces the least recently
 *   used one; exchanges that are running on it still end normally
 * @param connectionAgeMs after which a connection is not used again, so that a changed DNS entry
 *   takes effect
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
      // It fails if the pool was destroyed.
      pool.close().then(closed, closed);
    },
  });

  function getPool(endpointId: string, origin: string): Pool {
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
      const answer = { ...NO_ANSWER };
      const start: Buffer[] = [];
      try {
        const pool = getPool(endpointId, origin);
        const request = { method: "POST", path: pathname + search, headers, body } as const;
        await readAnswer(pool, request, timeoutMs, { answer, start });
        answer.errorClass = isSuccess(answer.statusCode) ? null : "status";
      } catch (error) {
        Object.assign(answer, describeFailure(error));
      }
      answer.response = printableText(Buffer.concat(start));
      answer.durationMs = Math.round(performance.now() - begun);
      return answer;
    },

    async close() {
      pools.clear();
      await Promise.all([...closing].map((pool) => pool.destroy()));
      pools.clear();
    },
  };
}

const isSuccess = (status: number | null) => status !== null && status >= 200 && status < 300;

/** The received part of an answer; it counts even if the rest never comes. */
interface Received {
  answer: Answer;
  /** The kept beginning of the body. */
  start: Buffer[];
}

/**
 * Sends a request and reads its answer to the end, so that the connection can be used again, or to
 * the bound. By undici's events, because its streams take a tenth of a delivery's CPU.
 * @throws the failure, also at the end of the time; the request is then ended too
 */
function readAnswer(
  pool: Pool,
  request: Dispatcher.DispatchOptions,
  timeoutMs: number,
  { answer, start }: Received,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let begun: Dispatcher.DispatchController | null = null;
  let late: Error | null = null;
  let bytes = 0;
  const timer = setTimeout(() => {
    late = errorWith(CODES.noAnswer, "No answer in time");
    reject(late);
    begun?.abort(late);
  }, timeoutMs);
  pool.dispatch(request, {
    onRequestStart(controller) {
      begun = controller;
      // It waited for a connection until its time was over.
      if (late) controller.abort(late);
    },
    onResponseStart(_controller, statusCode, headers) {
      // An interim answer.
      if (statusCode < 200) return;
      answer.statusCode = statusCode;
      answer.retryAfterMs = readRetryAfter(headers);
    },
    onResponseData(controller, chunk) {
      // A copy, because a slice would keep the whole chunk in memory while the rest is read.
      if (bytes < MAX_RESPONSE_BYTES) {
        start.push(Buffer.from(chunk.subarray(0, MAX_RESPONSE_BYTES)));
      }
      bytes += chunk.length;
      if (bytes < MAX_ANSWER_BYTES) return;
      resolve();
      // Closes the connection.
      controller.abort(errorWith(CODES.tooMuch, "Too much was sent"));
    },
    onResponseEnd: () => resolve(),
    onResponseError: (_controller, error) => reject(error),
  });
  return promise.finally(() => clearTimeout(timer));
}

function readRetryAfter({ "retry-after": value }: IncomingHttpHeaders): number | null {
  return parseRetryAfter(value, systemClock.now());
}
