// The acquirer Stripe: ACQUIRER=./partners/stripe/acquirer.ts. docs/operate/stripe.md describes it.
// The optional package stripe is loaded only here and only by this configuration.

import type { Acquirer, Context, Module } from "../types.ts";
import { openBooks } from "./books.ts";
import { describeCard } from "./cards.ts";
import { charge, readOutcome, voidCharge } from "./charges.ts";
import { createClient, discreetly } from "./client.ts";
import type { Deps } from "./intents.ts";
import { list } from "./listing.ts";
import { refundCharge } from "./refunds.ts";
import { readSettings } from "./settings.ts";
import { readNotification } from "./webhooks.ts";

/** @throws Error if a setting is missing or wrong; the message names its variable */
export default (function acquirer(context: Context): Acquirer {
  const settings = readSettings(process.env);
  const { name, isTest, fieldUrl, webhookSecret } = settings;
  const stripe = createClient(settings);
  const deps: Deps = { stripe, books: openBooks(context, name), now: context.now };
  return {
    name,
    test: isTest,
    vault: { fieldUrl, wantsPostcode: true },
    tokenInfo: (token) => discreetly(() => describeCard(stripe, token)),
    charge: (asked) => discreetly(() => charge(deps, asked)),
    outcome: (id) => discreetly(() => readOutcome(deps, id)),
    void: (id) => discreetly(() => voidCharge(deps, id)),
    refund: (asked) => discreetly(() => refundCharge(deps, asked)),
    list: (since) => list(stripe, since),
    ...(webhookSecret !== null && {
      notified: async ({ headers, body }) =>
        readNotification(webhookSecret, headers, body, context.now()),
    }),
  };
} satisfies Module<Acquirer>);
