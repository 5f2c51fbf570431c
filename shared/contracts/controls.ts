// Contracts of the operator's controls: what a business may do, and the wallets and people that are
// frozen. accounts keeps them; every service that obeys them follows the list of their changes
// (shared/rpc/controls.ts).

import { list, object } from "./compound-fields.ts";
import { action, businessId } from "./contract.ts";
import { type Infer, optional } from "./field.ts";
import { boolean, id, integer, oneOf, uuid } from "./fields.ts";

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

/** What is stopped, or is no longer: a business, a wallet or a person. */
const controlFields = {
  id: uuid({ note: "Of the business, the wallet or the entity" }),
  businessId: uuid(),
  status: optional(oneOf(CONTROL_STATUSES, { note: "Of a business" })),
  frozen: optional(boolean({ note: "Of a wallet or an entity" })),
  changedAt: integer({ min: 0, note: "Epoch ms, by the database's clock" }),
};
const control = object(controlFields);
export type Control = Infer<typeof controlFields>;

export const CONTROLS_AT_ONCE = 1_000;

const frozen = boolean({ note: "Whether nothing may be paid out of it" });

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
    result: object({ id: uuid(), frozen }, { name: "Freeze", note: "A wallet or an end user" }),
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
