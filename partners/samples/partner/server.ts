// A sample partner in a process of its own: a card vault with its hosted field, an acquirer and a
// rail, all in memory. partners/samples/acquirer.ts and partners/samples/rail.ts are the modules by
// which payrail reaches it.
//
//   SAMPLE_KEY=secret SAMPLE_PAGE=http://localhost:3000 node partners/samples/partner/server.ts
//
// SAMPLE_KEY gives access to all but the field. SAMPLE_PAGE is the origin of the only page that may
// show the field. The server listens on SAMPLE_PORT (any free port by default), prints its address,
// and then a line for each request, without its content.

import { timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createAcquirerBooks } from "./acquirer-books.ts";
import { fieldHeaders, fieldPage } from "./field.ts";
import { createRailBooks } from "./rail-books.ts";
import { createVault } from "./vault.ts";

const BODY_AT_MOST = 16_384;
const SETTLE_MS = 200;

const { SAMPLE_KEY = "", SAMPLE_PAGE = "", SAMPLE_PORT = "0" } = process.env;
if (SAMPLE_KEY === "" || !URL.canParse(SAMPLE_PAGE)) {
  throw new Error("SAMPLE_KEY must be set, and SAMPLE_PAGE must be the URL of payrail's page");
}
const page = new URL(SAMPLE_PAGE).origin;
const vault = createVault();
const acquirer = createAcquirerBooks(vault);
const rail = createRailBooks(SETTLE_MS);

interface Request {
  id: string;
  body: Record<string, unknown>;
  since: number;
}

/** The questions of a partner's module, by method and path; `:id` in a path is an id. */
const QUESTIONS: Record<string, (request: Request) => unknown> = {
  "POST /card": ({ body }) => {
    const card = vault.card(String(body.token));
    return card && { brand: card.brand, last4: card.last4 };
  },
  "PUT /charges/:id": ({ body }) => acquirer.charge(body as never),
  "GET /outcomes/:id": ({ id }) => acquirer.outcome(id),
  "POST /voids/:id": ({ id }) => acquirer.void(id),
  "PUT /refunds/:id": ({ body }) => acquirer.refund(body as never),
  "GET /acquired": ({ since }) => acquirer.list(since),
  "PUT /payments/:id": ({ body }) => rail.submit(body as never),
  "GET /payments/:id": ({ id }) => rail.query(id),
  "POST /cancels/:id": ({ id }) => rail.cancel(id),
  "POST /decisions/:id": ({ id, body }) => rail.decide(id, body.end as never),
  "GET /paid": ({ since }) => rail.list(since),
};

const server = createServer((request, response) => {
  answer(request, response).catch(() => response.writeHead(500).end());
});
server.listen(Number(SAMPLE_PORT), "127.0.0.1", () => {
  process.stdout.write(`Listening at ${origin()}\n`);
});

function origin(): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = "", url = "" } = request;
  const { pathname, searchParams } = new URL(url, origin());
  const [, place = "", id = ""] = pathname.split("/");
  const name = `${method} /${place}${id === "" ? "" : "/:id"}`;
  response.on("finish", () => process.stdout.write(`${name} ${response.statusCode}\n`));
  if (name === "GET /field") {
    response.writeHead(200, fieldHeaders(page)).end(fieldPage(page));
    return;
  }
  const body = await readBody(request);
  if (name === "POST /cards") {
    // Only the field itself may do this: the browser sends the origin of the page.
    if (request.headers.origin !== origin()) return send(response, 403, null);
    const token = vault.keep(body);
    return send(response, token === null ? 400 : 201, { token });
  }
  if (name === "POST /confirmations") {
    if (request.headers.origin !== origin()) return send(response, 403, null);
    acquirer.confirm(body.action, body.isAllowed === true);
    return send(response, 200, {});
  }
  const ask = QUESTIONS[name];
  if (!ask) return send(response, 404, null);
  if (!hasKey(request)) return send(response, 401, null);
  const since = Number(searchParams.get("since"));
  return send(response, 200, ask({ id, body, since }));
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
  response.end(JSON.stringify(body));
}

function hasKey({ headers }: IncomingMessage): boolean {
  const [given, right] = [headers.authorization ?? "", `Bearer ${SAMPLE_KEY}`].map((text) =>
    Buffer.from(text),
  ) as [Buffer, Buffer];
  return given.length === right.length && timingSafeEqual(given, right);
}

async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) {
    text += chunk;
    if (text.length > BODY_AT_MOST) throw new Error("The body is too long");
  }
  return text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
}
