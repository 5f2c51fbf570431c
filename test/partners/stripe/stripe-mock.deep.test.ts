// The requests of the Stripe module, against stripe-mock: each of them has the form of Stripe's
// OpenAPI document. stripe-mock keeps nothing and answers with examples, so this says nothing about
// outcomes.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { newId } from "../../../shared/ids.ts";
import { aCharge, aRefund, openStripeBed, type StripeBed } from "../../support/stripe.ts";
import { startStripeField } from "../../support/stripe-field.ts";
import { startStripeMock } from "./stripe-mock.ts";

let bed: StripeBed;
let mock: Awaited<ReturnType<typeof startStripeMock>>;
let recorder: Awaited<ReturnType<typeof startRecorder>>;

beforeAll(async () => {
  [bed, mock] = await Promise.all([openStripeBed(), startStripeMock()]);
  recorder = await startRecorder(mock.url);
});

afterAll(async () => {
  recorder.stop();
  mock.stop();
  await bed.close();
});

/** Forwards each request, and records its route and the status of its answer. */
async function startRecorder(target: string) {
  const seen = new Set<string>();
  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "", headers } = request;
    const body = method === "GET" ? null : await buffer(request);
    const passed = ["authorization", "content-type", "stripe-version", "idempotency-key"];
    const answer = await fetch(`${target}${url}`, {
      method,
      headers: Object.fromEntries(passed.map((name) => [name, String(headers[name] ?? "")])),
      body,
    });
    const path = new URL(url, target).pathname.replaceAll(/\/(pi|pm|re)_\w+/g, "/:id");
    seen.add(`${method} ${path} ${answer.status}`);
    response.writeHead(answer.status, { "content-type": "application/json" });
    // Each example of an intent has failed once, and the module confirms a new one alone.
    const { last_payment_error: _, ...example } = (await answer.json()) as Record<string, unknown>;
    response.end(JSON.stringify(example));
  }
  const server = createServer((request, response) => {
    forward(request, response).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

test("Stripe accepts each request that the module makes", async () => {
  const asked = bed.openAt(recorder.url);
  const saved = "pm_saved.cus_saved";
  for (const id of [newId(), undefined]) {
    for (const isCustomerPresent of [true, false]) {
      await asked.charge(aCharge(saved, { isCustomerPresent, ...(id && { id }) }));
    }
  }
  await asked.void(newId());
  await asked.tokenInfo("pm_1");
  const charge = aCharge("pm_1");
  await asked.charge(charge);
  await asked.charge(charge);
  await asked.refund(aRefund(charge.id, 1_000));
  // None of the examples is payrail's.
  for await (const { id } of asked.list?.(0) ?? []) throw new Error(`The list has ${id}`);
  const field = await startStripeField(recorder.url, "http://page");
  const headers = { origin: new URL(field.url).origin };
  expect((await fetch(field.url, { method: "POST", headers })).status).toBe(201);
  field.stop();

  expect([...recorder.seen].toSorted()).toEqual([
    "GET /v1/payment_intents 200",
    "GET /v1/payment_intents/:id 200",
    "GET /v1/payment_intents/search 200",
    "GET /v1/payment_methods/:id 200",
    "GET /v1/refunds 200",
    "POST /v1/customers 200",
    "POST /v1/payment_intents 200",
    "POST /v1/payment_intents/:id/cancel 200",
    "POST /v1/payment_intents/:id/confirm 200",
    "POST /v1/refunds 200",
    "POST /v1/setup_intents 200",
  ]);
});
