// payment-links: links, checkout, payments, subscriptions and billing.

import type { ServiceSchema } from "moleculer";
import { implement } from "../../shared/actions.ts";
import { database } from "../../shared/database.ts";
import type { Config } from "../../shared/env.ts";

export default function paymentLinks(config: Config): ServiceSchema {
  const db = database(config, "payment-links", {});

  return {
    name: "payment-links",

    actions: implement("payment-links", {
      async ready() {
        await db.ping();
        return {};
      },
    }),

    async started() {
      await db.open();
    },

    async stopped() {
      await db.close();
    },
  };
}
