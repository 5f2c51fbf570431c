// One HTTP exchange with a receiver, bounded in time (from the lookup of the name to the end of the
// answer) and in bytes read. Every behaviour of a receiver is a result; only a fault of our own is
// thrown, because it says nothing about the receiver. Redirects are not followed.
//
// By node:http, because it takes every valid answer: undici refuses a status 100 before the final
// one and a length with a blank at its end.

import { type Agent, type IncomingMessage, request } from "node:http";
import type { LookupFunction, Socket } from "node:net";
import type { Clock } from "../../../shared/clock.ts";
import { MAX_RESPONSE_BYTES } from "../../../shared/contracts/deliveries.ts";
import {
  CODES,
  describeFailure,
  errorWith,
  NO_ANSWER,
  printableText,
  type ReceiverAnswer,
} from "./answer.ts";
import { connectionsOf, type Destination } from "./connection.ts";
import { parseRetryAfter } from "./schedule.ts";

/** The most exchanges that run concurrently, over all endpoints. */
export const MAX_RUNNING = 2_048;
/** Of the body, beside the socket's own buffer; reading stops here. */
const MAX_ANSWER_BYTES = 64 * 1_024;
const MAX_HEADER_BYTES = 16 * 1_024;
/** Bytes after one request: headers, body with chunk framing, endless interim answers. */
const MAX_SENT_BYTES = 512 * 1_024;

export interface Message {
  endpointId: string;
  url: string;
  headers: Record<string, string>;
  body: string;
}

export interface Client {
  /** @throws a fault of our own, such as no free file descriptor */
  send(message: Message): Promise<ReceiverAnswer>;
  close(): void;
}

/**
 * @param timeoutMs for a whole exchange
 * @param others as in connection.ts
 */
export function createClient(options: {
  timeoutMs: number;
  connections: number;
  kept: number;
  connectionAgeMs: number;
  lookup: LookupFunction;
  clock: Clock;
}): Client {
  const agent = connectionsOf(options);
  return {
    async send(message) {
      const begun = performance.now();
      const answer = { ...NO_ANSWER };
      const received: Received = { answer: null, start: [] };
      try {
        await readAnswer(agent, message, options.timeoutMs, received);
        answer.errorClass = isSuccess(received.answer?.statusCode) ? null : "status";
      } catch (error) {
        Object.assign(answer, describeFailure(error));
      }
      if (received.answer) {
        const { statusCode = null, headersDistinct } = received.answer;
        answer.statusCode = statusCode;
        answer.retryAfterMs = parseRetryAfter(headersDistinct["retry-after"], options.clock.now());
      }
      answer.response = printableText(Buffer.concat(received.start));
      answer.durationMs = Math.round(performance.now() - begun);
      return answer;
    },
    close: () => agent.destroy(),
  };
}

const isSuccess = (status = 0) => status >= 200 && status < 300;

/** The received part of an answer; it counts even if the rest never comes. */
interface Received {
  answer: IncomingMessage | null;
  /** The kept beginning of the body. */
  start: Buffer[];
}

/**
 * Sends a request and reads its answer to the end, so that the connection can be used again, or to
 * the bound. The callbacks only collect, because an error in one of them would end the process.
 * @throws the failure, also at the end of the time; the request is then ended too
 */
async function readAnswer(
  agent: Agent,
  message: Message,
  timeoutMs: number,
  received: Received,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const sent = request(optionsOf(agent, message));
  const fail = (code: string, text: string) => {
    reject(errorWith(code, text));
    sent.destroy();
  };
  const timer = setTimeout(() => fail(CODES.noAnswer, "No answer in time"), timeoutMs);
  let before = 0;
  const limit = () => {
    const { bytesRead } = sent.socket as Socket;
    if (bytesRead - before > MAX_SENT_BYTES) fail(CODES.tooMuch, "Too much was sent");
  };
  sent.on("socket", ({ bytesRead }) => {
    before = bytesRead;
  });
  // Interim answers of every status, 100 too, only count as bytes.
  sent.on("continue", limit);
  sent.on("information", limit);
  sent.on("upgrade", () => fail(CODES.notHttp, "An upgrade without a request"));
  // What follows a complete answer does not change it.
  sent.on("error", (error) => (received.answer?.complete ? resolve() : reject(error)));
  sent.on("response", (answer) => {
    // Three digits, but below every class of statuses (RFC 9110, 15).
    if ((answer.statusCode ?? 0) < 100) return fail(CODES.notHttp, "The status has no class");
    received.answer = answer;
    let bytes = 0;
    answer.on("data", (chunk: Buffer) => {
      // A copy, because a slice would keep the whole chunk in memory while the rest is read.
      if (bytes < MAX_RESPONSE_BYTES) {
        received.start.push(Buffer.from(chunk.subarray(0, MAX_RESPONSE_BYTES)));
      }
      bytes += chunk.length;
      limit();
      if (bytes < MAX_ANSWER_BYTES) return;
      resolve();
      sent.destroy();
    });
    answer.on("error", reject);
    answer.on("end", () => {
      resolve();
      // The receiver does not read the rest of the event, so the next one would not arrive either.
      if (!sent.writableFinished) sent.destroy();
    });
  });
  sent.end(message.body);
  return promise.finally(() => clearTimeout(timer));
}

function optionsOf(agent: Agent, { endpointId, url, headers }: Message): Destination {
  const { protocol, host, hostname, port, pathname, search } = new URL(url);
  const secure = protocol === "https:";
  return {
    agent,
    endpointId,
    secure,
    hostname: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(port || (secure ? 443 : 80)),
    method: "POST",
    path: pathname + search,
    headers: { ...headers, host },
    maxHeaderSize: MAX_HEADER_BYTES,
    // Takes folded headers, blanks in framing and other forms that a recipient may accept (RFC
    // 9112, 2.2, 5.2, 7.1.1). A receiver can mislead only itself with them: no other endpoint's
    // answer comes over its connections, and nothing forwards its answer.
    insecureHTTPParser: true,
  };
}
