// A client of payrail's HTTP interface. It records every request, takes another gateway after a
// request without an answer, and repeats what its documentation tells an integrator to repeat.

import { setTimeout } from "node:timers/promises";
import type { Random } from "../../../tools/simulate/random.ts";
import type { AnswerCheck } from "../../support/http.ts";
import type { Entry, Kind } from "./history.ts";

/** The time for an answer (docs/integrate/rest-api.md, Limits), in ms. The test clock has none. */
const ANSWERED_WITHIN_MS: Partial<Record<Kind, number>> = {
  pay: 15_000,
  setup: 15_000,
  refund: 10_000,
  clock: 120_000,
};
const OTHERS_WITHIN_MS = 5_000;
/** How much longer the client waits, in ms. Reaching its limit is a finding. */
const PATIENCE_MS = 8_000;

export type Request = Pick<Entry, "kind" | "op" | "about" | "path"> & {
  token?: string;
  key?: string;
  /** POST if there is a body. */
  method?: "PUT";
  body?: unknown;
  headers?: Record<string, string>;
};

export interface Setting {
  gateways: string[];
  history: Entry[];
  check: AnswerCheck;
  /** Ends the repeats of what is not decided by then. */
  abandon: AbortSignal;
}

export type Client = ReturnType<typeof createClient>;

export function createClient(name: string, random: Random, setting: Setting) {
  const { gateways, history, check, abandon } = setting;
  let turn = random.between(0, gateways.length - 1);

  /** Sends a request once. */
  async function ask(request: Request): Promise<Entry> {
    const { kind, op, about, path, key, body } = request;
    const index = turn % gateways.length;
    const { method = body === undefined ? "GET" : "POST" } = request;
    const entry: Entry = {
      ...{ client: name, kind, op, about, gateway: `gateway-${index}`, method, path },
      ...(key && { key }),
      ...(body !== undefined && { request: body }),
      ...{ from: Date.now(), until: 0, status: 0 },
    };
    try {
      await exchange(gateways[index] as string, entry, request);
    } catch (error) {
      entry.error = nameError(error as BrokenOff);
      // The next request goes to another gateway.
      turn += 1;
    }
    entry.until = Date.now();
    history.push(entry);
    return entry;
  }

  async function exchange(
    url: string,
    entry: Entry,
    { token, key, body, headers }: Request,
  ): Promise<void> {
    const withinMs = (ANSWERED_WITHIN_MS[entry.kind] ?? OTHERS_WITHIN_MS) + PATIENCE_MS;
    const response = await fetch(url + entry.path, {
      method: entry.method,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(key && { "idempotency-key": key }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(withinMs),
    });
    const text = await response.text();
    entry.status = response.status;
    entry.body = isJson(response) ? JSON.parse(text) : text;
    const { status, body: answered } = entry;
    const headersOf = Object.fromEntries(response.headers);
    try {
      check(entry.method, entry.path, { status, text, body: answered, headers: headersOf });
    } catch (error) {
      entry.undocumented = (error as Error).message;
    }
  }

  /** Repeats the request, which has a key or a reference, until it has an answer that decides. */
  async function decide(request: Request, isDecided = hasDecided): Promise<Entry> {
    for (let waitMs = 100; ; waitMs = Math.min(waitMs * 2, 1_000)) {
      const entry = await ask(request);
      if (isDecided(entry) || abandon.aborted) return entry;
      // A busy service is asked at another gateway too.
      if (entry.status >= 500 || isUnknownRoute(entry)) turn += 1;
      await setTimeout(random.between(waitMs / 2, waitMs));
    }
  }

  return { name, random, ask, decide, isAbandoned: () => abandon.aborted };
}

/** What an operator has stopped or limited; no key and no reference keeps such an answer. */
export const STOPS = [
  "business_frozen",
  "payouts_paused",
  "collections_paused",
  "wallet_frozen",
  "entity_frozen",
];
const UNDECIDED = [...STOPS, "limit_exceeded", "idempotency_key_in_use", "payment_link_busy"];
/** A gateway of the previous release does not have their routes. */
const NEW: Kind[] = ["fund", "move", "adjust", "control", "limits"];

/** Whether the answer ends the repeats (docs/integrate/withdrawals.md, Errors). */
export function hasDecided(entry: Entry): boolean {
  const { status } = entry;
  const isRepeated = status === 0 || status === 429 || status >= 500;
  return !isRepeated && !tellsNothing(entry);
}

/** Whether an answer 4xx tells nothing of the operation, which a repeat may still do. */
export function tellsNothing({ kind, status, body }: Entry): boolean {
  return UNDECIDED.includes(body?.code) || isUnknownRoute({ kind, status });
}

const isUnknownRoute = ({ kind, status }: Pick<Entry, "kind" | "status">) =>
  status === 404 && NEW.includes(kind);

const isJson = ({ headers }: Response) =>
  headers.get("content-type")?.startsWith("application/json") === true;

type BrokenOff = Error & { cause?: { code?: string } };

function nameError(error: BrokenOff): string {
  if (error.name === "TimeoutError") return "timeout";
  return error.cause?.code ?? error.message;
}
