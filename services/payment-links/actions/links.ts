// The actions of links and of their checkout page. Contracts: shared/contracts/payment-links.ts.

import type { Handlers } from "../../../shared/rpc/actions.ts";
import type { Deps } from "../assembly.ts";
import { findAttempt } from "../checkout/attempts.ts";
import { checkoutView } from "../checkout/checkout-view.ts";
import { createLink } from "../links/link-creation.ts";
import { disableLink, isLinkToken, type LinkModels, listLinks, showLink } from "../links/links.ts";

/** @param deps the dependencies of the started service */
export function linkActions(deps: () => Deps, models: LinkModels) {
  return {
    createLink: ({ body }, context, creation) =>
      createLink(deps(), context, context.meta.actor, body, creation),

    links: (params) => listLinks(deps(), models, params),

    link: (params) => showLink(deps(), models, params),

    disableLink: (params) => disableLink(deps(), models, params),

    isLinkToken: (params) => isLinkToken(models.payment_links, params),

    checkout: ({ token }, context) => checkoutView(deps(), models, context, token),

    attempt: (params) => findAttempt(deps(), params),
  } satisfies Partial<Handlers<"payment-links">>;
}
