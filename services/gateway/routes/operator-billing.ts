// The release of billing by an operator, once merchants have reported again what a restore has lost
// (docs/operate/restore.md).

import { subscriptions } from "../../../shared/contracts/subscriptions.ts";
import type { Route } from "../http/route.ts";
import { noted } from "./operators.ts";

const release = subscriptions["payment-links.releaseBilling"];

export const operatorBillingRoute: Route = noted(
  "POST /v1/admin/billing/release",
  "releaseBilling",
  { ...release, errors: [...release.errors, "BUSINESS_NOT_FOUND"] as const },
  async (params, call) => {
    const { businessId } = params;
    // An operator may name any business: of an unknown one nothing is held, and nothing would tell.
    if (businessId !== undefined) await call("accounts.business", { businessId });
    return call("payment-links.releaseBilling", params);
  },
);
