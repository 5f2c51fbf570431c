// Serves the checkout page. Errors are pages too.

import type { IncomingMessage } from "node:http";
import type { ServiceBroker } from "moleculer";
import type { Config } from "../../../shared/config/config.ts";
import { fieldOrigin } from "../../../shared/partners/vault.ts";
import { call } from "../../../shared/rpc/actions.ts";
import type { PageRoute as HttpPage } from "../http/aliases.ts";
import { type HttpRefusal, RETRY_AFTER_S } from "../http/refusal.ts";
import { answer } from "./document.ts";
import type { CardEntry } from "./form.ts";
import { localeOf } from "./locale.ts";
import { checkoutPage, notFoundPage, unavailablePage } from "./page.ts";
import type { View } from "./view.ts";

/** The sandbox's endpoint for card details that are typed into the page's own inputs. */
const SANDBOX_VAULT: CardEntry = { kind: "inputs", path: "../../v1/sandbox/card-tokens" };
const WITHIN_MS = 5_000;

type PageConfig = Pick<Config, "sandbox" | "production" | "publicUrl">;

/** The page of `/pay/:slug/:token`. The slug is decoration: the token decides. */
export function payPage(config: PageConfig): HttpPage {
  return {
    path: "/pay/:slug/:token",
    async serve({ token = "" }, broker: ServiceBroker, request: IncomingMessage) {
      const options = { timeoutMs: WITHIN_MS };
      const view = await call(broker, "payment-links.checkout", { token }, options);
      const entry = chooseEntry(view, config);
      return answer(200, checkoutPage(view, token, entry, localeOf(request)));
    },
    refuse({ status, headers }: HttpRefusal, _requestId: string, request: IncomingMessage) {
      const locale = localeOf(request);
      return status >= 500
        ? answer(503, unavailablePage(locale), { "retry-after": String(RETRY_AFTER_S), ...headers })
        : answer(404, notFoundPage(locale), headers);
    },
  };
}

/** Checks the vault's field URL again, because its origin goes into the page's policy. */
function chooseEntry(view: View, config: PageConfig): CardEntry | null {
  // A payment-links node of the previous release says neither, and takes cards.
  const { vault, paymentOptions = ["card"], takesTestCards = true } = view;
  if (paymentOptions.length === 0) return null;
  if (vault === null) return config.sandbox && takesTestCards ? SANDBOX_VAULT : null;
  const { fieldUrl, wantsPostcode = false } = vault;
  const origin = fieldOrigin(fieldUrl, config);
  return origin === null ? null : { kind: "frame", fieldUrl, origin, wantsPostcode };
}
