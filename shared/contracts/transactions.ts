// Transactions in lists and details, the same for every service: payouts, fundings, payments.

import { list, object, textMap } from "../compound-fields.ts";
import { nullable, optional } from "../field.ts";
import { anything, boolean, id, oneOf, queryBoolean, text, timestamp, uuid } from "../fields.ts";
import { currency, cursored, decimal } from "./contract.ts";

export const STATUSES = ["PENDING", "PROCESSING_PAY_OUT", "SUCCESS", "FAILED"] as const;
export type Status = (typeof STATUSES)[number];

export const FLOWS = ["FUNDING", "WITHDRAWAL", "PAYMENT", "PAYOUT", "COLLECTION"] as const;

export const PAYOUT_FLOWS = ["WITHDRAWAL", "PAYMENT", "PAYOUT"] as const;

const owned = {
  businessId: id(),
  status: optional(oneOf(STATUSES)),
  entityId: optional(uuid()),
};
const needsAttention = optional(queryBoolean());
const made = {
  from: optional(timestamp({ note: "Inclusive" })),
  to: optional(timestamp({ note: "Exclusive" })),
  ...cursored,
};

/** The filter of a list of fundings, which have one flow and never need attention. */
export const fundingFilter = { ...owned, ...made };

/** The filter of a list of collections, which have one flow. */
export const collectionFilter = { ...owned, needsAttention, ...made };

/** The filter of a list of transactions with these flows. */
export function transactionFilter<const F extends string>(flows: readonly F[]) {
  return { ...owned, flow: optional(oneOf(flows)), needsAttention, ...made };
}

/** The merchant's and the customer's texts of a payment. */
export const metadataFields = {
  itemDeliveryAddress: text({ max: 512 }),
  customData: textMap({ max: 50 }),
  fields: textMap({ max: 40 }),
};
// A node of the previous release leaves it out too.
const metadata = optional(
  nullable(
    object(metadataFields, {
      note: "Of a collection; null for every other flow. Left out if a list would be too long",
    }),
  ),
);

export const transaction = object({
  id: uuid(),
  flow: oneOf([...FLOWS, "REFUND"], { note: "REFUND only if an admin resolves one" }),
  status: oneOf(STATUSES),
  amount: decimal,
  fees: decimal,
  currency,
  method: nullable(text()),
  entityId: uuid(),
  walletId: uuid(),
  linkedAccountId: nullable(uuid()),
  reason: nullable(text({ max: 512 })),
  failureReason: nullable(text()),
  needsAttention: boolean(),
  metadata,
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

export const timeline = object({
  states: list(object({ status: text(), at: timestamp(), by: optional(text({ max: 1024 })) }), {
    max: 100,
  }),
  entries: list(anything<unknown>({ note: "Statement entries" }), { max: 500 }),
  deliveries: list(anything<unknown>({ note: "Webhook deliveries" }), { max: 1_000 }),
});
