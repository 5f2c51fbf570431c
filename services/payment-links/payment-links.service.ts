// payment-links: links, checkout, payments, refunds, subscriptions and billing.

import type { ServiceSchema } from "moleculer";
import { implement } from "../../shared/actions.ts";
import { database } from "../../shared/database.ts";
import type { Config } from "../../shared/env.ts";
import { fail } from "../../shared/errors.ts";
import { checkoutView } from "./checkout-view.ts";
import { linkSchema } from "./link.model.ts";
import { createLink, disableLink, isLinkToken, listLinks, showLink } from "./links.ts";
import { paymentSchema } from "./payment.model.ts";

export default function paymentLinks(config: Config): ServiceSchema {
  const db = database(config, "payment-links", {
    payment_links: linkSchema,
    payments: paymentSchema,
  });
  const { models } = db;

  /** Of what is being built in this very hour. */
  const unavailable = async () => fail("UNAVAILABLE");

  return {
    name: "payment-links",

    actions: implement("payment-links", {
      async ready() {
        await db.ping();
        return {};
      },

      createLink: ({ body }, context) =>
        createLink(
          models.payment_links,
          config,
          context,
          context.meta.actor ?? fail("UNAUTHORIZED"),
          body,
        ),

      links: (params) => listLinks(models, config, params),

      link: (params) => showLink(models, config, params),

      disableLink: (params) => disableLink(models, config, params),

      isLinkToken: (params) => isLinkToken(models.payment_links, params),

      checkout: ({ token }, context) => checkoutView(models, context, token),

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
