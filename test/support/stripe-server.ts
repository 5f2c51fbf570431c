// A stand-in for Stripe's API over HTTP, with idempotency keys that live for 24 hours, on a clock
// that the test sets. It misbehaves on command: a test interferes before or after the execution of
// any request.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { createStripeBooks, type Params, StripeRefusal } from "./stripe-books.ts";

/** A moment at which a test may interfere: a request that is executed, or was. */
export interface Step {
  /** The secret key of the request, which tells the module that asks. */
  key: string;
  /** Such as `POST /v1/payment_intents/:id/confirm`. */
  route: string;
  isExecuted: boolean;
}

/** The connection ends without an answer, or Stripe answers this status. */
export type Interference = "cut" | { status: number; code?: string } | undefined;

type Interfere = (step: Step) => Interference | Promise<Interference>;

interface Kept {
  at: number;
  /** Path and parameters. */
  request: string;
  answer: Answer;
}

interface Answer {
  status: number;
  body: unknown;
}

const KEY_LIVES_MS = 24 * 3_600_000;

/** @param now epoch milliseconds */
export async function startStripeServer(now: () => number) {
  const books = createStripeBooks(now);
  const keys = new Map<string, Kept>();
  const seen: string[] = [];
  let interfere: Interfere = () => undefined;

  const list = <T extends { created: number }>(all: Iterable<T>, params: Params) => {
    const from = Number(params.get("created[gte]") ?? 0);
    const sorted = [...all].filter(({ created }) => created >= from).reverse();
    const after = sorted.findIndex((each) => Object(each).id === params.get("starting_after"));
    const limit = Number(params.get("limit") ?? 10);
    const data = sorted.slice(after + 1, after + 1 + limit);
    return { object: "list", data, has_more: after + 1 + limit < sorted.length, url: "/v1/list" };
  };

  const ROUTES: Record<string, (params: Params, id: string) => unknown> = {
    "POST /v1/payment_intents": (params) => books.createIntent(params),
    "GET /v1/payment_intents": (params) => list(books.intents.values(), params),
    "GET /v1/payment_intents/search": (params) => ({
      object: "search_result",
      data: books.searchIntents(params.get("query") ?? ""),
      has_more: false,
      url: "/v1/payment_intents/search",
    }),
    "GET /v1/payment_intents/:id": (_, id) => books.retrieveIntent(id),
    "POST /v1/payment_intents/:id/confirm": (params, id) => books.confirmIntent(id, params),
    "POST /v1/payment_intents/:id/cancel": (_, id) => books.cancelIntent(id),
    "POST /v1/refunds": (params) => books.createRefund(params),
    "GET /v1/refunds": (params) => {
      const intent = params.get("payment_intent");
      const all = [...books.refunds.values()];
      return list(intent ? all.filter((each) => each.payment_intent === intent) : all, params);
    },
    "GET /v1/payment_methods/:id": (_, id) => books.retrieveMethod(id),
    "POST /v1/customers": () => books.createCustomer(),
    "POST /v1/setup_intents": (params) => books.createSetupIntent(params),
  };

  function execute(route: string, params: Params, id: string): Answer {
    try {
      // A copy, because a kept answer is that of the first moment.
      return { status: 200, body: structuredClone(ROUTES[route]?.(params, id)) };
    } catch (error) {
      if (!(error instanceof StripeRefusal)) throw error;
      return { status: error.status, body: { error: structuredClone(error.body) } };
    }
  }

  /** The answer that Stripe has under a key; undefined if the request is the first one. */
  function keptAnswer(key: string, request: string): Answer | undefined {
    const kept = keys.get(key);
    if (!kept || now() - kept.at >= KEY_LIVES_MS) return undefined;
    return kept.request === request ? kept.answer : failure(400, "", "idempotency_error");
  }

  async function answer(request: IncomingMessage): Promise<Answer | "cut"> {
    const { method = "", url = "", headers } = request;
    const { pathname, searchParams } = new URL(url, "http://stripe");
    const form = await text(request);
    const params: Params = new Map(method === "GET" ? searchParams : new URLSearchParams(form));
    const [, id = ""] = /^\/v1\/\w+\/(\w+_\w+)/.exec(pathname) ?? [];
    const route = `${method} ${id ? pathname.replace(id, ":id") : pathname}`;
    if (!ROUTES[route]) return failure(404, "resource_missing");
    seen.push(route);
    const step = { key: (headers.authorization ?? "").replace("Bearer ", ""), route };
    const before = await interfere({ ...step, isExecuted: false });
    if (before) return before === "cut" ? before : failure(before.status, before.code);
    const key = headers["idempotency-key"] as string | undefined;
    const kept = key && keptAnswer(key, `${pathname}?${form}`);
    if (kept) return kept;
    const executed = execute(route, params, id);
    const entry: Kept = { at: now(), request: `${pathname}?${form}`, answer: executed };
    // Stripe keeps no answer to a request whose parameters it does not accept.
    if (key && executed.status !== 400) keys.set(key, entry);
    const after = await interfere({ ...step, isExecuted: true });
    if (after === "cut") return after;
    if (after) entry.answer = failure(after.status, after.code);
    return entry.answer;
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answered = await answer(request);
    if (answered === "cut") return void request.socket.destroy();
    const headers = { "content-type": "application/json", "request-id": `req_${seen.length}` };
    response.writeHead(answered.status, headers).end(JSON.stringify(answered.body));
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  return {
    books,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The routes of all requests. */
    seen,
    /** @param next null: the stand-in behaves */
    interfere(next: Interfere | null): void {
      interfere = next ?? (() => undefined);
    },
    stop(): void {
      server.close();
      server.closeAllConnections();
    },
  };
}

function failure(status: number, code = "", type = "api_error"): Answer {
  return { status, body: { error: { type, ...(code && { code }), message: "Refused" } } };
}
