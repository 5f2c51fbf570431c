// The hosted field of Stripe's vault on an origin of its own, with the stand-in for Stripe behind
// it.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createClient } from "../../partners/stripe/client.ts";
import { serveField } from "../../partners/stripe/field.ts";
import { readSettings } from "../../partners/stripe/settings.ts";
import { stripeEnvironment } from "./stripe.ts";

/**
 * Serves the field.
 * @param apiUrl the stand-in for Stripe
 * @param page the origin of the page that may show the field
 */
export async function startStripeField(apiUrl: string, page: string) {
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const fieldUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/field`;
  const settings = readSettings({ ...stripeEnvironment(apiUrl), STRIPE_FIELD_URL: fieldUrl });
  const handle = serveField({ ...settings, stripe: createClient(settings), page });
  return {
    url: fieldUrl,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
