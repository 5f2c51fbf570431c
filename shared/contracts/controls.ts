// Contracts of the operator's controls: what a business may do, and the wallets and people that are
// frozen. accounts keeps them; every service that obeys them follows the list of their changes
// (shared/rpc/controls.ts).

import { PAYOUT_METHODS } from "../config/payout-methods.ts";
import { list, object } from "./compound-fields.ts";
import { action, businessId, currency } from "./contract.ts";
import { type Infer, nullable, optional } from "./field.ts";
import { anything, boolean, id, integer, oneOf, timestamp, uuid } from "./fields.ts";
import { amountAsShown } from "./transactions.ts";

export const CONTROL_STATUSES = [
  "ACTIVE",
  "PAYOUTS_PAUSED",
  "COLLECTIONS_PAUSED",
  "FROZEN",
] as const;

const status = oneOf(CONTROL_STATUSES, {
  note: "What the business may do: everything; no new payouts; no new payments of customers; or neither, and no change of anything",
});

const controls = object({ status }, { name: "Controls", note: "What a business may do" });

const limitFields = {
  scope: oneOf(["business", "entity"], {
    note: "Whether it holds for the business as a whole, or for each owner of a wallet alone",
  }),
  method: optional(
    oneOf(PAYOUT_METHODS, { note: "Only payouts by this method; by all methods if left out" }),
  ),
  currency,
  per: oneOf(["payout", "day", "month"], {
    note: "Of each payout, or of all payouts of a day or a month in UTC",
    example: "day",
  }),
  amount: optional(amountAsShown("The greatest amount, without fees", "1000.00")),
  count: optional(integer({ min: 1, note: "The greatest number of payouts", example: 50 })),
};
const limit = object(limitFields, { name: "PayoutLimit", note: "A limit of what is paid out" });

/** A limit, and when it was set; epoch ms. */
const heldLimit = { ...limitFields, since: integer({ min: 0 }) };
export type PayoutLimit = Infer<typeof heldLimit>;

/** A decimal string of a limit by amount, a number of a limit by count. */
const measure = (note: string, example: string) => anything<string | number>({ note, example });

/** A limit as its caller sees it. */
const useFields = {
  scope: limitFields.scope,
  method: nullable(oneOf(PAYOUT_METHODS, { note: "The method; null for all of them" })),
  currency,
  per: limitFields.per,
  max: measure("What it allows: an amount without fees, or a number of payouts", "1000.00"),
  used: measure("What is used of it", "250.00"),
  resetsAt: nullable(timestamp({ note: "When it begins anew; null for a limit of each payout" })),
};
export const limitUse = object(useFields, { name: "PayoutLimitUse", note: "A limit, and its use" });
export type PayoutLimitUse = Infer<typeof useFields>;
export const leftOfLimit = object(
  { ...useFields, left: measure("What is left of it", "750.00") },
  { name: "PayoutLimitLeft", note: "A limit, and what is left of it" },
);

const MOST_LIMITS = 50;
const limits = list(limit, {
  max: MOST_LIMITS,
  note: "The limits; those of the other side hold too",
});
const limitSet = object({ limits }, { name: "PayoutLimits", note: "Limits of what is paid out" });
export const LIMIT_SETTERS = ["operator", "merchant"] as const;
const by = oneOf(LIMIT_SETTERS);

/** What is stopped, or is no longer: a business, a wallet or a person. */
const controlFields = {
  id: uuid({ note: "Of the business, the wallet or the entity" }),
  businessId: uuid(),
  status: optional(oneOf(CONTROL_STATUSES, { note: "Of a business" })),
  frozen: optional(boolean({ note: "Of a wallet or an entity" })),
  limits: optional(list(object(heldLimit), { max: 2 * MOST_LIMITS, note: "Of a business" })),
  changedAt: integer({ min: 0, note: "Epoch ms, by the database's clock" }),
};
const control = object(controlFields);
export type Control = Infer<typeof controlFields>;

export const CONTROLS_AT_ONCE = 20;

const frozen = boolean({ note: "Whether nothing may be paid out of it", example: true });

export const controlling = {
  "accounts.controls": action({
    does: "Shows what a business may do",
    params: { businessId },
    result: controls,
    errors: ["BUSINESS_NOT_FOUND"],
  }),

  "accounts.setControls": action({
    does: "Says what a business may do. It holds over all replicas within five seconds",
    params: { businessId, status },
    result: controls,
    errors: ["BUSINESS_NOT_FOUND"],
  }),

  "accounts.freeze": action({
    does: "Freezes a wallet or an end user, or lifts the freeze. It holds over all replicas within five seconds",
    params: { businessId, subjectId: id({ note: "The wallet or the end user" }), frozen },
    result: object(
      { id: uuid({ note: "Of the wallet or the end user" }), frozen },
      { name: "Freeze", note: "A wallet or an end user" },
    ),
  }),

  "accounts.limits": action({
    does: "Shows the limits that the operator, or the business itself, has set",
    params: { businessId, by },
    result: limitSet,
    errors: ["BUSINESS_NOT_FOUND"],
  }),

  "accounts.setLimits": action({
    does: "Sets limits of what is paid out, in place of the earlier ones. They hold over all replicas within five seconds, and payouts of the running day or month count",
    params: { businessId, by, limits },
    result: limitSet,
    errors: ["BUSINESS_NOT_FOUND"],
  }),

  "accounts.changedControls": action({
    does: "Lists what was stopped or released since a moment, in that order",
    params: {
      since: integer({ min: 0, note: "Epoch ms" }),
      after: optional(uuid({ note: "Of those of that moment only the ones after this id" })),
    },
    result: object({
      controls: list(control, { max: CONTROLS_AT_ONCE }),
      isWhole: boolean({ note: "Whether there are no more" }),
    }),
    callers: ["gateway", "payouts", "payment-links", "wallet-ledger"],
    timeoutMs: 2_000,
  }),
};
