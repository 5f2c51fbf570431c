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
    const method = body === undefined ? "GET" : "POST";
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
      if (entry.status >= 500) turn += 1;
      await setTimeout(random.between(waitMs / 2, waitMs));
    }
  }

  return { name, random, ask, decide, isAbandoned: () => abandon.aborted };
}

/** Whether the answer ends the repeats (docs/integrate/withdrawals.md, Errors). */
export function hasDecided({ status, body }: Entry): boolean {
  const isRepeated = status === 0 || status === 429 || status >= 500;
  return !isRepeated && body?.code !== "idempotency_key_in_use" && !isBusy(body);
}

const isBusy = (body: Entry["body"]) => body?.code === "payment_link_busy";

const isJson = ({ headers }: Response) =>
  headers.get("content-type")?.startsWith("application/json") === true;

type BrokenOff = Error & { cause?: { code?: string } };

function nameError(error: BrokenOff): string {
  if (error.name === "TimeoutError") return "timeout";
  return error.cause?.code ?? error.message;
}
