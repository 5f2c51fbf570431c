// A merchant's webhook receiver that fails at random, from a seed: it answers 500, or closes the
// connection before it has read the request, in the middle of its answer, or after it has processed
// the event. It logs arrivals and acknowledgements in order.

import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Random } from "./traffic.ts";

/**
 * The kinds of failure; with all but `closed` and `500` the receiver has processed the event
 * without the sender's knowledge.
 */
const FAILURES = ["500", "closed", "cut", "unacknowledged"] as const;
type Failure = (typeof FAILURES)[number];

interface Arrival {
  /** The webhook-id. */
  id: string;
  headers: IncomingHttpHeaders;
  text: string;
  failure: Failure | null;
}

/** The receiver's log, in order: an event arrived, or was acknowledged. */
interface Happening {
  kind: "arrived" | "acknowledged";
  id: string;
}

export interface StormyReceiver {
  url: string;
  /** The requests that were read to their end, in order. */
  arrivals: Arrival[];
  log: Happening[];
  /** The number of requests, and of failures by kind. */
  counts: Record<Failure | "requests", number>;
  /** The number of requests for an event that was processed before. */
  duplicates(): number;
  /** @param percent the share of requests that fail from now on */
  fail(percent: number): void;
  /** From now on processes events without an answer. */
  stall(): void;
  stop(): void;
}

/** @param percent the share of requests that fail */
export async function startStormyReceiver(
  random: Random,
  percent: number,
): Promise<StormyReceiver> {
  const arrivals: Arrival[] = [];
  const log: Happening[] = [];
  const counts = { requests: 0, 500: 0, closed: 0, cut: 0, unacknowledged: 0 };
  let failing = percent;
  let stalled = false;

  const server = createServer((request, response) => {
    const failure = random.below(100) < failing ? random.oneOf(FAILURES) : null;
    const id = String(request.headers["webhook-id"]);
    counts.requests += 1;
    if (failure) counts[failure] += 1;
    log.push({ kind: "arrived", id });
    if (failure === "closed") return void request.socket.destroy();
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      arrivals.push({ id, headers: request.headers, text, failure });
      if (stalled) return;
      if (failure === null) log.push({ kind: "acknowledged", id });
      answer(response, failure);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    arrivals,
    log,
    counts,
    duplicates() {
      const takenIn = arrivals.filter(({ failure }) => failure !== "500").map(({ id }) => id);
      return takenIn.length - new Set(takenIn).size;
    },
    fail(next) {
      failing = next;
      stalled = false;
    },
    stall() {
      failing = 0;
      stalled = true;
    },
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function answer(response: ServerResponse, failure: Failure | null): void {
  if (failure === "unacknowledged") return void response.destroy();
  if (failure !== "cut") return void response.writeHead(failure ? 500 : 200).end("ok");
  response.writeHead(200, { "content-length": "1000" });
  response.write("the beginning", () => response.destroy());
}

/**
 * The errors in the order of arrival: an event arrived before its predecessor was acknowledged.
 * @param placeOf the transaction of an event and its number in it, by the webhook-id
 */
export function outOfOrder(
  log: Happening[],
  placeOf: Map<string, { transactionId: string; seq: number }>,
): string[] {
  const acknowledged = new Map<string, number>();
  return log.flatMap(({ kind, id }) => {
    const place = placeOf.get(id);
    if (!place) return [`${id} is no event`];
    const { transactionId, seq } = place;
    const upTo = acknowledged.get(transactionId) ?? 0;
    if (kind === "acknowledged") acknowledged.set(transactionId, Math.max(upTo, seq));
    else if (seq > upTo + 1) return [`${transactionId}: ${seq} arrived when ${upTo} was the last`];
    return [];
  });
}
