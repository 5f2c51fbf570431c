// The webhooks of the Stripe module.

import { Stripe } from "stripe";
import { readNotification } from "../../../partners/stripe/webhooks.ts";

const SECRET = "whsec_test";
const NOW_MS = Date.UTC(2026, 10, 26);

function event(type: string, object: object): string {
  return JSON.stringify({ id: "evt_1", object: "event", type, data: { object } });
}

function sign(payload: string, secret = SECRET, atMs = NOW_MS): Record<string, string> {
  const timestamp = atMs / 1_000;
  return {
    "stripe-signature": Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp }),
  };
}

const metadata = { payrail_id: "0199" };

test.each([
  "payment_intent.succeeded",
  "payment_intent.payment_failed",
  "payment_intent.canceled",
  "refund.updated",
  "refund.failed",
])("%s tells payrail's id", (type) => {
  const body = event(type, { metadata });
  expect(readNotification(SECRET, sign(body), body, NOW_MS)).toEqual(["0199"]);
});

test.each([
  ["customer.created", { metadata }],
  ["payment_intent.succeeded", { metadata: {} }],
  ["refund.updated", { metadata: null }],
  ["payment_intent.succeeded", {}],
])("%s of %j is ignored", (type, object) => {
  const body = event(type, object);
  expect(readNotification(SECRET, sign(body), body, NOW_MS)).toEqual([]);
});

test("a webhook that Stripe did not sign, or an old one, is refused without its content", () => {
  const body = event("payment_intent.succeeded", { metadata });
  for (const [headers, given] of [
    [{}, body],
    [sign(body, "whsec_other"), body],
    [sign(body, SECRET, NOW_MS - 301_000), body],
    [sign(body), `${body} `],
    [{ "stripe-signature": "t=1,v1=00" }, body],
    [{ "stripe-signature": "" }, ""],
  ] as const) {
    const read = () => readNotification(SECRET, headers, given, NOW_MS);
    expect(read).toThrow(/^The webhook/);
    expect(read).not.toThrow("0199");
  }
});

test("a signed text that is no event is refused", () => {
  expect(() => readNotification(SECRET, sign("{"), "{", NOW_MS)).toThrow("is no JSON");
});
