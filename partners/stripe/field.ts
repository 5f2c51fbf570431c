// The hosted field of Stripe's vault: the page in the checkout page's frame, and the SetupIntent
// with which a card is saved. Card numbers go from Stripe's own inputs in this page to Stripe;
// neither payrail nor this server sees any.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import type { Stripe } from "stripe";
import { discreetly, within } from "./client.ts";
import type { StripeSettings } from "./settings.ts";

const HTML = readText("field.html");
const STYLE = readText("field.css");
const SCRIPT = readText("field.js");

/** Of the same release as the API's version in client.ts. Stripe.js is only served by Stripe. */
const STRIPE_JS = "https://js.stripe.com/endive/stripe.js";

const WITHIN_MS = 8_000;

interface Served extends Pick<StripeSettings, "publishableKey" | "fieldUrl"> {
  stripe: Stripe;
  /** The origin of the checkout page, the only one that may show the field. */
  page: string;
}

/**
 * Makes the handler of the requests to the field's URL: GET answers the page, and POST creates a
 * SetupIntent for its card. The caller limits the rate of POST by address, because a SetupIntent
 * tells whether a card number is valid.
 */
export function serveField({ stripe, publishableKey, fieldUrl, page }: Served) {
  const headers = pageHeaders(page);
  const html = fill(page, publishableKey);
  const { origin } = new URL(fieldUrl);

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method === "GET") {
      response.writeHead(200, headers).end(html);
      return;
    }
    if (request.method !== "POST") return send(response, 405, null);
    // The browser sends the origin of the page that asks: only the field itself may.
    if (request.headers.origin !== origin) return send(response, 403, null);
    const made = await discreetly(() => createSetup(stripe)).catch(() => null);
    return send(response, made ? 201 : 503, made);
  };
}

/** A card is charged again only as one of a customer; each saved card has a customer of its own. */
async function createSetup(stripe: Stripe): Promise<{ clientSecret: string; customer: string }> {
  const time = within(WITHIN_MS);
  const { id: customer } = await stripe.customers.create({}, time());
  const { client_secret: clientSecret } = await stripe.setupIntents.create(
    { customer, usage: "off_session", allowed_payment_method_types: ["card"] },
    time(),
  );
  if (clientSecret === null) throw new Error("The SetupIntent has no client secret");
  return { clientSecret, customer };
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
  response.end(JSON.stringify(body));
}

/** The origins are Stripe's for Stripe.js and 3-D Secure (docs.stripe.com/security/guide). */
function pageHeaders(page: string): Record<string, string> {
  const stripeJs = "https://js.stripe.com https://*.js.stripe.com";
  return {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    // Stripe.js refuses to work without the origin.
    "referrer-policy": "origin",
    "x-content-type-options": "nosniff",
    "content-security-policy": [
      "default-src 'none'",
      `script-src ${hashSource(SCRIPT)} ${stripeJs}`,
      `style-src ${hashSource(STYLE)}`,
      "connect-src 'self' https://api.stripe.com",
      `frame-src ${stripeJs} https://hooks.stripe.com`,
      "base-uri 'none'",
      "form-action 'none'",
      `frame-ancestors ${page}`,
    ].join("; "),
  };
}

/** None of the values comes from a request. */
function fill(page: string, publishableKey: string): string {
  const values: Record<string, string> = {
    '"PAGE"': `"${page}"`,
    '"KEY"': `"${publishableKey}"`,
    '"STRIPE_JS"': `"${STRIPE_JS}"`,
    "/* STYLE */": STYLE,
    "/* SCRIPT */": SCRIPT,
  };
  return HTML.replaceAll(
    /"(?:PAGE|KEY|STRIPE_JS)"|\/\* [A-Z]+ \*\//g,
    (name) => values[name] ?? "",
  );
}

function readText(name: string): string {
  return readFileSync(join(import.meta.dirname, "field", name), "utf8");
}

function hashSource(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
