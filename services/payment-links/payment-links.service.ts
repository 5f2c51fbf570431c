// payment-links: links, checkout, payments, refunds, subscriptions and billing.

import type { ServiceSchema } from "moleculer";
import { implement } from "../../shared/actions.ts";
import { database } from "../../shared/database.ts";
import type { Config } from "../../shared/env.ts";
import { fail } from "../../shared/errors.ts";

export default function paymentLinks(config: Config): ServiceSchema {
  const db = database(config, "payment-links", {});

  /** Of what is being built in this very hour. */
  const unavailable = async () => fail("UNAVAILABLE");

  return {
    name: "payment-links",

    actions: implement("payment-links", {
      async ready() {
        await db.ping();
        return {};
      },

      // Links (P1).
      createLink: unavailable,
      links: unavailable,
      link: unavailable,
      disableLink: unavailable,
      isLinkToken: unavailable,
      checkout: unavailable,

      // Payments (P2).
      pay: unavailable,
      paymentState: unavailable,
      payments: unavailable,
      payment: unavailable,
      transactions: unavailable,
      transaction: unavailable,
      timeline: unavailable,
      createCardToken: unavailable,

      // Refunds (P3).
      refund: unavailable,
      refunds: unavailable,
    }),

    async started() {
      await db.open();
    },

    async stopped() {
      await db.close();
    },
  };
}
