// The payout: the resumable document of a withdrawal. Moments are epoch ms; the id holds the
// creation time.

import type { PayoutMethod } from "../../shared/config/payout-methods.ts";
import type { EntityType } from "../../shared/contracts/accounts.ts";
import type { OptionType } from "../../shared/contracts/linked-accounts.ts";
import type { Reason } from "../../shared/contracts/payouts.ts";
import { STATUSES, type Status } from "../../shared/contracts/transactions.ts";
import type { Fee } from "../../shared/fees.ts";
import type { Currency } from "../../shared/money.ts";
import type { Resumable } from "../../shared/resumable/document.ts";
import { resumableSchema, WAITING_INDEX } from "../../shared/resumable/schema.ts";
import { whereSet } from "../../shared/storage/indexes.ts";

/**
 * The next thing to do; lifecycle.ts has the transitions between the steps.
 * - claim: the application token is not known to be claimed; nothing was posted
 * - debit: the debit may be posted, its outcome is not stored; if the ledger has it, the payout is
 *   accepted, and the rail may have it (accepted.ts)
 * - submit: accepted and visible; the payout goes to the rail next, because no rail was configured
 *   for its method at the acceptance, or because the rail did not have it
 * - submitting: accepted and visible; the rail may have the payout
 * - settle: the rail has the payout, which waits for the end
 * - reverse: the stored end is that the payout will not be paid; the money is on its way back
 * - watch: ended; the rail is still asked, because a settled payout can be returned, and because
 *   the rail's answer may contradict the end
 * - closed: ended; the rail is asked only after a push
 * - declined: never accepted, never visible; nothing was or will be debited
 */
export type Step =
  | "claim"
  | "debit"
  | "submit"
  | "submitting"
  | "settle"
  | "reverse"
  | "watch"
  | "closed"
  | "declined";

/**
 * Why a withdrawal was declined: the ledger's reasons; its application token, or the amount on that
 * token; the wallet that the token names, which is frozen.
 */
export type PayoutDeclineReason =
  | "funds"
  | "disabled"
  | "void"
  | "bound"
  | "token"
  | "amount"
  | "frozen"
  | "limit"
  | "other";

/** A decision whether the payout may leave, for operators alone. */
export interface ScreeningVerdict {
  at: number;
  decision: "ALLOW" | "REVIEW" | "DENY";
  /** The screening's reasons or code, or a person's note. */
  reasons: string[];
  /** The name of the screening, or the subject of the person's token. */
  by: string;
  /** The screening has not answered, and is asked again. */
  isUnanswered?: true;
}

/** It has PENDING from its insert on, which counts once it is accepted. */
export interface Payout extends Resumable<Status> {
  step: Step;
  /**
   * The payout is accepted, and its business sees it. At the step `debit` only the ledger says so
   * (accepted.ts).
   */
  visible: boolean;

  entityId: string;
  entityType: EntityType;
  /** The debited wallet. It never changes once the step is `debit`: an id belongs to one wallet. */
  walletId: string;
  linkedAccountId: string;
  optionType: OptionType;
  lastFour: string;
  /** The linked account's; older payouts do not have it. */
  fingerprint?: string;
  currency: Currency;
  method: PayoutMethod;
  flow: "PAYMENT" | "PAYOUT";
  amountMinor: number;
  feesMinor: number;
  /** The sum of both, as lists show it; older payouts do not have it. */
  totalMinor?: number;
  /** The fee that was configured when the payout was made. */
  fee: Fee;
  reason: string;
  /** The caller's own name for the payout, unique for the business; a declined payout has none. */
  reference?: string;
  /** The caller's own texts. */
  metadata?: Record<string, string>;
  /** SHA-256 of the application token that the payout spends. */
  tokenHash?: string;

  /** The merchant made the payout, whoever owns the wallet (pay.ts). */
  byMerchant?: true;
  /** The owner of the linked account, if another entity's wallet is debited. */
  payeeId?: string;
  /**
   * The Idempotency-Key of a withdrawal, unique for the entity (idempotency.ts); older payouts do
   * not have it.
   */
  idempotencyKey?: string;
  /** The Idempotency-Key of a payout that the merchant made, unique for the business. */
  merchantKey?: string;
  /** The digest of the request that came with the key. */
  requestHash?: string;
  /** The digest of what the request with the reference asked for. */
  termsHash?: string;

  /** From then on no caller waits for the answer of the withdrawal; epoch ms. */
  deadline: number;
  /** The payout's place in the entity's rate limit, while it has one. */
  slot?: number;
  /** The names of the counters that count it (payout-limits.ts), and whether they do. */
  counted?: string[];
  isCounted?: boolean;
  declined?: PayoutDeclineReason;
  /**
   * The name of the rail that pays, stored before the first submit. From then on no other rail is
   * asked about the payout. While it is unset no rail was ever asked. It never leaves the service.
   */
  rail?: string;
  /** The moment that is stored before a submit, and before the debit of a new payout; epoch ms. */
  submittedAt?: number;
  /** The rail had never heard of it, and it was submitted again: a rail was asked before. */
  isResubmitted?: true;
  /** Since when a stop holds it before a submit (stopped.ts); epoch ms. */
  heldSince?: number;
  /** What the screening and persons have decided, oldest first (screening.ts). */
  verdicts?: ScreeningVerdict[];
  /** Since when it waits for a review; epoch ms. */
  reviewSince?: number;
  /** The rail's own code; it never leaves the service. */
  railCode?: string;
  /** What the recipient's bank says about the account, for the merchant. */
  notice?: string;
  /** The merchant-safe reason (docs/integrate/rest-api.md, Payout states); shown once FAILED. */
  failureReason?: Reason;
  /** Why an admin has to decide, as the rail has last said; for operators alone. */
  problem?: string;
  /** An admin has to decide, whatever the rail answers next: an answer has contradicted the end. */
  staysFlagged?: boolean;
  /** The rail returned the payment before payrail heard that it was settled. */
  cameBack?: boolean;
  /**
   * At the step reverse: the rail's `accepted` or a problem came after its refusal, so the rail is
   * asked again once the money is back.
   */
  isDoubted?: boolean;
}

export const payoutSchema = resumableSchema<Payout>({
  step: String,
  visible: Boolean,
  entityId: String,
  walletId: String,
  linkedAccountId: String,
  idempotencyKey: String,
  merchantKey: String,
  reference: String,
  payeeId: String,
  currency: String,
  method: String,
  flow: String,
  totalMinor: Number,
  slot: Number,
  declined: String,
  rail: String,
  heldSince: Number,
  reviewSince: Number,
});

/** The rate limit (limits.ts): one payout for each place of an entity, and the holders of places. */
payoutSchema.index({ entityId: 1, slot: 1 }, { unique: true, ...whereSet("slot") });
/**
 * The fields by which a request repeats an earlier one (idempotency.ts), each with the field of the
 * owner for which a value is unique. Payouts without the field are not in its index.
 */
export const UNIQUE_FOR = {
  idempotencyKey: "entityId",
  merchantKey: "businessId",
  reference: "businessId",
} as const;
/** A value that only one payout of the owner has. */
export interface Unique {
  field: keyof typeof UNIQUE_FOR;
  owner: string;
  value: string;
}
const { reference: _owner, ...WITHIN_OWNER } = UNIQUE_FOR;
for (const [field, owner] of Object.entries(WITHIN_OWNER)) {
  payoutSchema.index({ [owner]: 1, [field]: 1 }, { unique: true, ...whereSet(field) });
}
/** The payout of a business with a reference, and for operators the payouts of all businesses. */
export const BY_REFERENCE = { reference: 1, businessId: 1 } as const;
payoutSchema.index(BY_REFERENCE, { unique: true, ...whereSet("reference") });
/** The erasure of an end user's data in payouts that other wallets have paid to its accounts. */
export const TO_PAYEE = { payeeId: 1, _id: 1 } as const;
payoutSchema.index(TO_PAYEE, whereSet("payeeId"));
/**
 * The decline limit: an entity's declines since a moment (limits.ts); and the erasure of an entity's
 * declined payouts.
 */
export const DECLINES = { entityId: 1, declined: 1, _id: 1 } as const;
payoutSchema.index(DECLINES, whereSet("declined"));
/** The values of the fields before `_id` in the indexes of lists. */
export const EVERY_FLOW = { $in: ["PAYMENT", "PAYOUT"] satisfies Payout["flow"][] };
export const EVERY_STATUS = { $in: [...STATUSES] };
/**
 * The list of a business, newest first, by flow, status, both or none, and its statistics; `_id`
 * also serves `from`, `to` and cursors. A query without one of the filters names all of its values:
 * MongoDB then merges their ranges in the order of `_id`, so one index serves every filter.
 */
export const OF_BUSINESS = { businessId: 1, flow: 1, status: 1, _id: -1 } as const;
/**
 * The list of an entity's own withdrawals, newest first, by status, merged in the same way; a
 * business's list by entity; and an erasure's count and changes of an entity's payouts.
 */
export const OWN = { entityId: 1, status: 1, _id: -1 } as const;
/** The lists by linked account, one or the accounts that a search finds (transaction-list.ts). */
export const BY_ACCOUNT = { linkedAccountId: 1, _id: -1 } as const;
/**
 * The list of a business by amount, if few payouts have it. `visible` is in the index, because the
 * index alone then counts them.
 */
export const BY_AMOUNT = { businessId: 1, visible: 1, totalMinor: 1, _id: -1 } as const;
for (const index of [OF_BUSINESS, OWN, BY_ACCOUNT, BY_AMOUNT]) {
  payoutSchema.index(index, { partialFilterExpression: { visible: true } });
}
/** The list of a business's flagged payouts, newest first. */
export const FLAGGED_OF_BUSINESS = { businessId: 1, needsAttention: 1, _id: -1 } as const;
payoutSchema.index(FLAGGED_OF_BUSINESS, { partialFilterExpression: { needsAttention: true } });
/** The payouts that a stop holds, which go on when it ends. */
export const HELD = { businessId: 1, heldSince: 1 } as const;
payoutSchema.index(HELD, whereSet("heldSince"));
/** The payouts that wait for a review, oldest first; and for how long, from the index alone. */
export const IN_REVIEW = { visible: 1, _id: 1, reviewSince: 1 } as const;
payoutSchema.index(IN_REVIEW, whereSet("reviewSince"));
/** The payouts about which a rail has given no answer (partners.ts). */
payoutSchema.index(WAITING_INDEX.rail, whereSet("unknownSince"));
