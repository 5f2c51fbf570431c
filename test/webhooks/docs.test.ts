// docs/integrate/webhooks.md is correct, and its examples work.

import { spawn, spawnSync } from "node:child_process";
import { createServer } from "node:net";
import {
  invoiceEvent,
  subscriptionEvent,
} from "../../services/payment-links/billing/billing-events.ts";
import type { Invoice } from "../../services/payment-links/billing/invoice.model.ts";
import type { Subscription } from "../../services/payment-links/billing/subscription.model.ts";
import { signedHeaders, signingKey } from "../../services/webhooks/exchange/signature.ts";
import webhooks from "../../services/webhooks/webhooks.service.ts";
import { loadConfig, RETRY_JITTER } from "../../shared/config/env.ts";
import { parseDuration } from "../../shared/config/env-values.ts";
import { contractFor } from "../../shared/contracts/contracts.ts";
import {
  DEAD_LETTER_REASONS,
  DELIVERY_STATUSES,
  ERROR_CLASSES,
} from "../../shared/contracts/deliveries.ts";
import { EVENT_STATUSES, EVENT_TYPES, type EventType } from "../../shared/contracts/events.ts";
import type { JsonSchema } from "../../shared/contracts/field.ts";
import { grossUp } from "../../shared/fees.ts";
import { newId } from "../../shared/ids.ts";
import { KINDS } from "../../tools/verify/kinds/kinds.ts";
import { readDocument } from "../support/document.ts";
import { testUnless, whyMissing } from "../support/needed-tools.ts";
import { startSystem, testEnvironment, until } from "../support/system.ts";
import { anEvent, deliveriesOnce } from "../support/webhook-events.ts";

const { page, blocks, table } = readDocument("docs/integrate/webhooks.md");
const TEXT = page.replaceAll(/\s+/g, " ");

/** The texts in code marks in the first cells of a table. */
const named = (rows: string[][]) =>
  rows.flatMap(([first = ""]) => [...first.matchAll(/`([^`]+)`/g)].map(([, name]) => name));

const propertiesOf = (schema: unknown) =>
  Object.keys((schema as { properties: JsonSchema }).properties);

test("the documented waits, times and jitter are the defaults", () => {
  const { webhooks: defaults } = loadConfig(testEnvironment());
  const rows = table("| attempt |");
  expect(
    rows.map(([, wait = ""]) => parseDuration(wait.replace(" min", "m").replace(" ", ""))),
  ).toEqual(defaults.retryScheduleMs);
  expect(rows.map(([attempt]) => Number(attempt))).toEqual(
    defaults.retryScheduleMs.map((_, i) => i + 2),
  );
  expect(TEXT).toContain(`up to ${100 * RETRY_JITTER} % shorter or longer`);
  expect(TEXT).toContain(`within ${defaults.timeoutMs / 1_000} seconds`);
  expect(TEXT).toContain(`kept for ${defaults.retentionMs / 86_400_000} days`);
  expect(defaults.orderHoldMs).toBe(3_600_000);
  expect(TEXT).toContain("failed for an hour (`WEBHOOK_ORDER_HOLD`)");
});

test("the page has every event type with its statuses, every error class and every reason", () => {
  const rows = table("| `eventType` |");
  expect(named(rows)).toEqual(EVENT_TYPES);
  // A status is before the first colon or semicolon of the second cell.
  const statuses = rows.map(([, cell = ""]) => named([[cell.split(/[:;]/)[0] ?? ""]]));
  expect(statuses).toEqual(Object.values(EVENT_STATUSES));
  expect(named(table("| `errorClass` |"))).toEqual([...ERROR_CLASSES]);
  const reasons = table("| reason | meaning |\n|---|---|\n| `exhausted`");
  expect(new Set(named(reasons))).toEqual(new Set(DEAD_LETTER_REASONS));
  for (const status of DELIVERY_STATUSES) expect(TEXT).toContain(`\`${status}\``);
});

test.each(["docs/integrate/payment-links.md", "docs/integrate/billing.md"])(
  "%s has the statuses of its types",
  (path) => {
    const rows = readDocument(path).table("| `eventType` |");
    expect(rows.length).toBeGreaterThan(1);
    for (const [type = "", statuses] of rows) {
      const [eventType] = named([[type]]) as [EventType];
      expect([eventType, named([[statuses ?? ""]])]).toEqual([
        eventType,
        EVENT_STATUSES[eventType],
      ]);
    }
  },
);

test("the pages of payment links and billing have their types", () => {
  const pages = ["docs/integrate/payment-links.md", "docs/integrate/billing.md"];
  const types = pages.flatMap((path) => named(readDocument(path).table("| `eventType` |")));
  const { payments, refunds, subscriptions, invoices } = KINDS;
  const kinds = [payments, refunds, subscriptions, invoices];
  expect(new Set(types)).toEqual(new Set(kinds.flatMap(({ eventTypes }) => eventTypes)));
});

test("the documented bodies have the existing fields", () => {
  const bodies = blocks("json").map((text) => JSON.parse(text) as { eventType?: string });
  const event = bodies.find(({ eventType }) => eventType === "WITHDRAWAL");
  const attempt = bodies.find(({ eventType }) => eventType === undefined);
  const payout = contractFor("payouts.webhookPayload").result.schema.properties as JsonSchema;
  expect(Object.keys(event as object)).toEqual(Object.keys(payout));
  const { payload } = event as { payload: object };
  expect(Object.keys(payload).toSorted()).toEqual(propertiesOf(payout.payload).toSorted());

  const delivery = contractFor("webhooks.delivery").result.schema.properties as {
    attempts: { items: unknown };
  };
  expect(Object.keys(attempt as object)).toEqual(propertiesOf(delivery.attempts.items));
});

/** The example of a body, and its payload with times as they are stored. */
function exampleOf(type: string) {
  const bodies = blocks("json").map((text) => JSON.parse(text) as { eventType: string });
  const body = bodies.find(({ eventType }) => eventType === type);
  // biome-ignore lint/suspicious/noExplicitAny: an example of any shape
  return { body, payload: (body as any).payload as Record<string, any> };
}

test("the documented subscription is the one that a merchant receives", () => {
  const { body, payload } = exampleOf("SUBSCRIPTION");
  const subscription = {
    _id: payload.subscriptionId,
    linkId: payload.paymentLinkId,
    collectionAccountId: payload.collectionAccountId,
    plan: { charge: { type: payload.type }, amountMinor: 2_500, currency: payload.currency },
    anchorAt: Date.parse(payload.startDate as string),
    externalId: payload.externalId,
  } as Subscription;
  const event = subscriptionEvent(subscription, "trialing", payload.timestamp as number, 1);
  expect(event?.body).toEqual(body);
});

test("the documented invoice is the one that a merchant receives", () => {
  const { body, payload } = exampleOf("INVOICE");
  const { invoiceId, paymentId, paymentLinkId, reason } = payload;
  const at = Date.parse(payload.periodStart as string);
  const invoice = {
    ...payload,
    _id: invoiceId,
    linkId: paymentLinkId,
    periodStart: at,
    periodEnd: Date.parse(payload.periodEnd as string),
    totalMinor: 2_500,
    chargeMinor: 2_606,
    attempts: [{ paymentId, at, status: "FAILED", reason }],
    nextTryAt: Date.parse(payload.nextAttemptAt as string),
  } as unknown as Invoice;
  const event = invoiceEvent(invoice, "failed", payload.timestamp as number, 1);
  expect(event?.body).toEqual(body);
  const { CARD_COLLECTION } = loadConfig(testEnvironment()).fees;
  expect(grossUp(CARD_COLLECTION.USD, 2_500)).toBe(2_606);
});

test("the documented receiver in Node accepts a delivery and refuses an invalid signature", async () => {
  const system = await startSystem([webhooks]);
  const port = await aFreePort();
  const url = `http://127.0.0.1:${port}/hooks`;
  const businessId = newId();
  const { secret } = await system.call("webhooks.createEndpoint", { businessId, url });
  const receiver = spawn(
    process.execPath,
    ["--input-type=module", "-e", blocks("js")[0] as string],
    {
      env: { ...process.env, NODE_OPTIONS: "", WEBHOOK_SECRET: secret, PORT: String(port) },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  try {
    let printed = "";
    receiver.stdout.on("data", (text: Buffer) => {
      printed += text.toString();
    });
    await until(() =>
      fetch(url).then(
        () => true,
        () => false,
      ),
    );
    const event = anEvent({ businessId });

    await system.call("webhooks.publish", { events: [event] });
    const [delivery] = await deliveriesOnce(system, event, (d) => d.status === "DELIVERED");

    expect(delivery?.attempts).toMatchObject([{ statusCode: 204 }]);
    await until(() => printed === `${event.id} WITHDRAWAL PENDING\n`);
    const body = "{}";
    const other = `whsec_${Buffer.alloc(32).toString("base64")}`;
    const headers = signedHeaders([signingKey(other)], newId(), body, Date.now());
    expect((await fetch(url, { method: "POST", body, headers })).status).toBe(400);
  } finally {
    receiver.kill();
    await system.stop();
  }
});

const withPython = testUnless(await whyMissing("python3"), "the documented check in Python");

withPython("the documented check without a library works in python3", () => {
  const [, check] = blocks("python");
  const body = '{"amount":25.5,"name":"Zoë"}';
  const secrets = [24, 64].map((size) => `whsec_${Buffer.alloc(size, "k").toString("base64")}`);
  const now = Date.now();
  const signed = signedHeaders(secrets.map(signingKey), newId(), body, now);
  const old = signedHeaders(secrets.map(signingKey), newId(), body, now - 400_000);
  const [first = "", second = ""] = secrets;
  const other = `whsec_${Buffer.alloc(32).toString("base64")}`;
  const cases: [string, object, string][] = [
    [first, signed, body],
    [second, signed, body],
    [other, signed, body],
    [first, signed, `${body} `],
    [first, old, body],
  ];
  const program = `${check}
import json, sys
print(json.dumps([verify(s, h, b.encode()) for s, h, b in json.load(sys.stdin)]))`;
  const { stdout, stderr } = spawnSync("python3", ["-c", program], {
    input: JSON.stringify(cases),
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  expect(JSON.parse(stdout)).toEqual([true, true, false, false, false]);
});

function aFreePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
