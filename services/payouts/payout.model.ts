// The payout: the resumable document of a withdrawal. Moments are epoch ms; when it was made is in its
// id.

import { Schema } from "mongoose";
import type { EntityType } from "../../shared/contracts/accounts.ts";
import type { OptionType } from "../../shared/contracts/linked-accounts.ts";
import type { Reason } from "../../shared/contracts/payouts.ts";
import type { Status } from "../../shared/contracts/transactions.ts";
import { type Fee, METHODS, type Method } from "../../shared/fees.ts";
import { CURRENCIES, type Currency } from "../../shared/money.ts";
import type { Resumable } from "../../shared/resumable/document.ts";

/**
 * What has to be done next; what leads from one to the other is in lifecycle.ts.
 * - claim: the application token is not known to be claimed; nothing was posted
 * - debit: the debit was perhaps posted, its outcome is not stored
 * - submit: accepted and visible; to be handed to the rail, again where the rail did not have it
 * - submitting: the rail may or may not have it
 * - settle: the rail has it; its end is awaited
 * - reverse: the rail's word is stored that it will not be paid; the money is on its way back
 * - watch: ended; the rail is still asked, because a settled payout can be returned
 * - closed: ended, and nothing is asked any more
 * - declined: never accepted, never visible; nothing was or will be debited
 */
export const STEPS = [
  "claim",
  "debit",
  "submit",
  "submitting",
  "settle",
  "reverse",
  "watch",
  "closed",
  "declined",
] as const;
export type Step = (typeof STEPS)[number];

/** Why a withdrawal was declined: the ledger's reasons, or its application token. */
export type DeclineReason = "funds" | "disabled" | "void" | "bound" | "token" | "other";

/** Its status is PENDING until it is visible. */
export interface Payout extends Resumable<Status> {
  step: Step;
  /** Accepted: others may see it. */
  visible: boolean;

  entityId: string;
  entityType: EntityType;
  /** The debited wallet. It never changes once the step is `debit`: an id belongs to one wallet. */
  walletId: string;
  linkedAccountId: string;
  optionType: OptionType;
  lastFour: string;
  /** The linked account's; none in payouts that were made before it was kept. */
  fingerprint?: string;
  currency: Currency;
  method: Method;
  flow: "PAYMENT" | "PAYOUT";
  amountMinor: number;
  feesMinor: number;
  /** The fee as it was configured. */
  fee: Fee;
  /** The caller's reason or reference. */
  reason: string;
  /** SHA-256 of the application token that it spends. */
  tokenHash?: string;

  /** Nobody waits for the withdrawal's answer any more. */
  deadline: number;
  /** Its place in the entity's rate limit, while it has one. */
  slot?: number;
  declined?: DeclineReason;
  /**
   * The name of the rail that pays it, stored before the first submit. From then on no other rail is
   * asked about it. Where it is unset no rail was ever asked. It never leaves the service.
   */
  rail?: string;
  /** When the last submit began; epoch ms. */
  submittedAt?: number;
  /** The rail's own code; it never leaves the service. */
  railCode?: string;
  /** The merchant-safe reason (docs/rest-api.md, Payout states); shown once FAILED. */
  failureReason?: Reason;
}

/** Only what filters and indexes name is typed here: documents are read and written as they are. */
export const payoutSchema = new Schema<Payout>(
  {
    _id: { type: String, required: true },
    step: { type: String, enum: STEPS },
    visible: Boolean,
    status: String,
    businessId: String,
    entityId: String,
    walletId: String,
    currency: { type: String, enum: CURRENCIES },
    method: { type: String, enum: METHODS },
    flow: String,
    slot: Number,
    declined: String,
    needsAttention: Boolean,
    nextAttemptAt: Number,
    relayAt: Number,
  },
  { versionKey: false, strict: false },
);

// The rate limit: one payout for each place of an entity, and who holds them.
payoutSchema.index(
  { entityId: 1, slot: 1 },
  { unique: true, partialFilterExpression: { slot: { $exists: true } } },
);
/** The decline limit: an entity's declines since a moment. */
export const DECLINES = { entityId: 1, declined: 1, _id: 1 } as const;
payoutSchema.index(DECLINES, { partialFilterExpression: { declined: { $exists: true } } });
// The sweeper: what is due, the longest first.
payoutSchema.index(
  { nextAttemptAt: 1 },
  { partialFilterExpression: { nextAttemptAt: { $exists: true } } },
);
// The sweeper: outboxes that nobody handed over.
payoutSchema.index({ relayAt: 1 }, { partialFilterExpression: { relayAt: { $exists: true } } });
// The lists, newest first; `_id` also serves `from` and `to`. All of a business's, and each filter.
payoutSchema.index({ businessId: 1, _id: -1 }, { partialFilterExpression: { visible: true } });
for (const field of ["status", "entityId", "flow"] as const) {
  payoutSchema.index(
    { businessId: 1, [field]: 1, _id: -1 },
    { partialFilterExpression: { visible: true } },
  );
}
payoutSchema.index(
  { businessId: 1, needsAttention: 1, _id: -1 },
  { partialFilterExpression: { needsAttention: true } },
);
/** The operators' list of payouts that need attention, over all businesses. */
export const ATTENTION = { needsAttention: 1, _id: -1 } as const;
payoutSchema.index(ATTENTION, { partialFilterExpression: { needsAttention: true } });
