// Serves the page of a subscriber, by the link on its receipt. Opening a page changes nothing: only
// the form's POST cancels, and a repeated one changes nothing more. The secret is in the path, and no
// cookie is, so another site cannot send the form.

import type { IncomingMessage } from "node:http";
import type { ServiceBroker } from "moleculer";
import { call } from "../../../shared/rpc/actions.ts";
import type { PageRoute as HttpPage } from "../http/aliases.ts";
import { type HttpRefusal, RETRY_AFTER_S } from "../http/refusal.ts";
import { answer } from "./document.ts";
import { localeOf } from "./locale.ts";
import { unavailablePage } from "./page.ts";
import { cancelPage, noSubscriptionPage, subscriptionPage } from "./subscription-page.ts";

const PATH = "/subscription/:id/:token";
const WITHIN_MS = 5_000;
/** The cancellation waits for the subscription's driver. */
const CANCELLED_WITHIN_MS = 15_000;

function refuse({ status, headers }: HttpRefusal, _requestId: string, request: IncomingMessage) {
  const locale = localeOf(request);
  return status >= 500
    ? answer(503, unavailablePage(locale), { "retry-after": String(RETRY_AFTER_S), ...headers })
    : answer(404, noSubscriptionPage(locale), headers);
}

const find = (broker: ServiceBroker, { id = "", token = "" }: Record<string, string>) =>
  call(broker, "payment-links.subscriber", { id, token }, { timeoutMs: WITHIN_MS });

export const subscriptionPages: HttpPage[] = [
  {
    path: PATH,
    async serve(params, broker, request) {
      const { token = "" } = params;
      return answer(200, subscriptionPage(await find(broker, params), token, localeOf(request)));
    },
    refuse,
  },
  {
    path: `${PATH}/cancel`,
    async serve(params, broker, request) {
      const { token = "" } = params;
      return answer(200, cancelPage(await find(broker, params), token, localeOf(request)));
    },
    refuse,
  },
  {
    method: "POST",
    path: `${PATH}/cancel`,
    async serve({ id = "", token = "" }, broker, request) {
      const options = { timeoutMs: CANCELLED_WITHIN_MS };
      await call(broker, "payment-links.cancelAsSubscriber", { id, token }, options);
      const { language } = localeOf(request);
      // A reload of the page that follows sends nothing again.
      const location = `../${encodeURIComponent(token)}?lang=${language}`;
      return { status: 303, body: "", headers: { location } };
    },
    refuse,
  },
];
