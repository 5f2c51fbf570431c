// The server of Stripe's hosted field.

import { openStripeBed, type StripeBed } from "../../support/stripe.ts";
import { startStripeField } from "../../support/stripe-field.ts";

const PAGE = "https://pay.example.com";

let bed: StripeBed;
let field: Awaited<ReturnType<typeof startStripeField>>;

beforeAll(async () => {
  bed = await openStripeBed();
  field = await startStripeField(bed.server.url, PAGE);
});

afterAll(async () => {
  field.stop();
  await bed.close();
});

const post = (origin: string | null) =>
  fetch(field.url, { method: "POST", headers: origin === null ? {} : { origin } });

test("the page is for the checkout page alone, and loads nothing but itself and Stripe.js", async () => {
  const response = await fetch(field.url);
  const policy = response.headers.get("content-security-policy") ?? "";
  expect(policy.split("; ")).toEqual([
    "default-src 'none'",
    expect.stringMatching(
      /^script-src 'sha256-\S+' https:\/\/js\.stripe\.com https:\/\/\*\.js\.stripe\.com$/,
    ),
    expect.stringMatching(/^style-src 'sha256-\S+'$/),
    "connect-src 'self' https://api.stripe.com",
    "frame-src https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${PAGE}`,
  ]);
  const html = await response.text();
  expect(html).toContain(`data-page="${PAGE}" data-key="pk_test_1"`);
  expect(html).toContain('src="https://js.stripe.com/endive/stripe.js"');
  expect(html).not.toMatch(/sk_test|"PAGE"|"KEY"|STRIPE_JS|STYLE|SCRIPT/);
});

test("a card is saved for a customer of its own, and only from the field itself", async () => {
  const customers = bed.books.customers.size;
  for (const origin of [PAGE, "null", null]) expect((await post(origin)).status).toBe(403);
  expect(bed.books.customers.size).toBe(customers);
  const response = await post(new URL(field.url).origin);
  expect(response.status).toBe(201);
  const made = (await response.json()) as { clientSecret: string; customer: string };
  expect(made.clientSecret).toMatch(/^seti_\w+_secret_/);
  expect(bed.books.customers).toContain(made.customer);
});

test("no answer of Stripe is a 503 without a reason", async () => {
  bed.misbehaveOnce("POST /v1/setup_intents", false, "cut");
  const response = await post(new URL(field.url).origin);
  expect([response.status, await response.json()]).toEqual([503, null]);
  expect((await fetch(field.url, { method: "DELETE" })).status).toBe(405);
});
