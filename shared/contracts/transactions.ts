// Transactions in lists and details, the same for every service: payouts, fundings, payments.

import { owner } from "./accounts.ts";
import { either, list, object, textMap } from "./compound-fields.ts";
import { businessId, changed, created, currency, cursored, money } from "./contract.ts";
import { nullable, optional } from "./field.ts";
import {
  anything,
  boolean,
  email,
  normalised,
  oneOf,
  queryBoolean,
  text,
  timestamp,
  uuid,
} from "./fields.ts";
import { last4 } from "./linked-account-lists.ts";

export const STATUSES = ["PENDING", "PROCESSING_PAY_OUT", "SUCCESS", "FAILED"] as const;
export type Status = (typeof STATUSES)[number];

export const FLOWS = [
  "FUNDING",
  "WITHDRAWAL",
  "PAYMENT",
  "PAYOUT",
  "COLLECTION",
  "REFUND",
  "TRANSFER",
  "ADJUSTMENT",
] as const;
/** The flows of the ledger's own transactions. */
export const LEDGER_FLOWS = ["FUNDING", "TRANSFER", "ADJUSTMENT"] as const;

/** Why a transaction failed, for programs (docs/integrate/rest-api.md, Payout states). */
export const FAILURE_CODES = [
  "account_not_found",
  "account_closed",
  "duplicate",
  "compliance",
  "card_declined",
  "returned_by_bank",
  "cancelled",
  "processing_failed",
] as const;
export type FailureCode = (typeof FAILURE_CODES)[number];

export const PAYOUT_FLOWS = ["WITHDRAWAL", "PAYMENT", "PAYOUT"] as const;

const owned = {
  businessId,
  status: optional(oneOf(STATUSES, { note: "Only transactions in this status" })),
  entityId: optional(
    uuid({ note: "Only transactions of this end user, or of the business itself" }),
  ),
};
const needsAttention = optional(
  queryBoolean({
    note: "Only transactions that wait for an operator's decision, or only the others",
  }),
);
/** An amount as a text, as answers show amounts. */
export const amountAsShown = (note: string, example = "25.25") =>
  normalised(
    (given) => (/^\d{1,10}(\.\d{1,2})?$/.test(given) ? given : null),
    `an amount such as ${example}`,
    { pattern: "^\\d{1,10}(\\.\\d{1,2})?$" },
    { note, example },
  );

/** Filters by what a transaction shows. */
const shown = {
  amountFrom: optional(amountAsShown("Only transactions with this amount or more, fees included")),
  amountTo: optional(amountAsShown("Only transactions with this amount or less, fees included")),
  reference: optional(text({ note: "Only transactions with exactly this reference" })),
};
const linkedAccountId = optional(uuid({ note: "Only payouts to this linked account" }));

/** Filters by the parties of a transaction, which accounts resolves (parties.ts). */
export const partyFilters = {
  search: optional(
    text({
      min: 2,
      max: 64,
      note: "Only payouts to a recipient with this text in the name, in any case",
    }),
  ),
  email: optional(
    text({
      max: 64,
      note: "Only transactions with this text in the email address of the recipient or of the entity, in any case",
    }),
  ),
  last4,
  externalId: optional(
    text({ note: "Only transactions of the end user with this externalIdentifier" }),
  ),
};

const made = {
  from: optional(timestamp({ note: "Only transactions created then or later" })),
  to: optional(timestamp({ note: "Only transactions created before" })),
  ...cursored,
};

/** The filter of a list of fundings, or of another flow of the ledger. */
export const fundingFilter = {
  ...owned,
  flow: optional(oneOf(LEDGER_FLOWS, { default: "FUNDING" })),
  needsAttention,
  ...shown,
  ...made,
};

/** The filter of a list of collections or of refunds. */
export const collectionFilter = {
  ...owned,
  flow: optional(oneOf(["COLLECTION", "REFUND"], { default: "COLLECTION" })),
  needsAttention,
  ...shown,
  ...made,
};

/** The filter of a list of transactions with these flows. */
export function transactionFilter<const F extends string>(flows: readonly F[]) {
  return {
    ...owned,
    flow: optional(oneOf(flows, { note: "Only transactions of this flow" })),
    needsAttention,
    linkedAccountId,
    ...shown,
    ...made,
  };
}

/** The merchant's and the customer's texts of a payment. */
const metadataFields = {
  itemDeliveryAddress: text({
    max: 512,
    note: "The itemDeliveryAddress of the payment link",
    example: "1 Main St, New York",
  }),
  customData: textMap({
    max: 50,
    note: "The customData of the payment link",
    example: { campaign: "spring" },
  }),
  fields: textMap({
    max: 40,
    note: "What the customer has filled in, by the names of the fields",
    example: { Size: "M" },
  }),
};
export const paymentMetadata = object(metadataFields, {
  name: "PaymentMetadata",
  note: "What the payment link and the customer have said; left out if a list would be too long",
});

/** The caller's own texts about a payout, which its transaction shows. */
export const payoutMetadata = textMap({
  max: 50,
  name: "PayoutMetadata",
  note: "Your own texts about the payout, by names of your choice",
  example: { invoice: "1042" },
});

/** The caller's own name for a payout; one payout of a business has it. */
export const payoutReference = text({
  note: "Your id of the payout, unique among the payouts of the business",
  example: "payroll-2026-11-ada",
});

// A node of the previous release leaves both out too.
const metadata = optional(
  nullable(
    either(paymentMetadata, payoutMetadata, {
      name: "TransactionMetadata",
      note: "Of a payment what its link and the customer have said, of a payout your own texts; left out if a list would be too long",
    }),
  ),
);
const reference = optional(nullable(payoutReference));

/** The holder of the linked account that a payout pays. */
export const recipientFields = {
  name: text({ max: 513, note: "The name of the account's holder", example: "Ada Lovelace" }),
  email: email({ note: "The email address of the account's holder" }),
  lastFour: text({
    max: 4,
    note: "The last four characters of the account or card number",
    example: "6789",
  }),
  bankName: nullable(
    text({ note: "The name of the bank; null for a card", example: "First Bank" }),
  ),
};
const { entityType: _entityType, ...entityFields } = owner;
export const partyFields = entityFields;

/** The gateway adds both, and leaves them out while no node of accounts tells them. */
export const shownParties = {
  recipient: optional(
    nullable(
      object(recipientFields, {
        name: "TransactionRecipient",
        note: "Who is paid; null unless it is a payout, and null once the person is erased",
      }),
    ),
  ),
  entity: optional(
    nullable(
      object(entityFields, {
        name: "TransactionEntity",
        note: "The entity whose transaction it is; null once the person is erased",
      }),
    ),
  ),
};

export const transaction = object(
  {
    id: uuid({ note: "The id of the transaction" }),
    flow: oneOf(FLOWS, { note: "The kind of the transaction" }),
    status: oneOf(STATUSES, { note: "The status of the transaction" }),
    amount: money("What the wallet is debited or credited with, fees included", "25.25"),
    fees: money("The fees", "0.25"),
    currency,
    method: nullable(
      text({ note: "How the money travels; null unless it is a payout", example: "ACH" }),
    ),
    entityId: uuid({ note: "The end user or business whose transaction it is" }),
    walletId: uuid({ note: "The wallet or collection account that is debited or credited" }),
    linkedAccountId: nullable(
      uuid({ note: "The linked account that is paid; null unless it is a payout" }),
    ),
    reason: nullable(
      text({ max: 512, note: "The reason or reference of the request", example: "Payout" }),
    ),
    failureReason: nullable(
      text({ note: "Why it failed", example: "Recipient account not found." }),
    ),
    // A node of the previous release leaves it out.
    failureCode: optional(
      nullable(
        oneOf(FAILURE_CODES, { note: "Why it failed, for programs; null unless it has failed" }),
      ),
    ),
    notice: optional(
      text({
        max: 200,
        note: "What the recipient's bank says about the account; left out if it says nothing",
        example: "The account has a new number, ending in 6789. Link it again with this number.",
      }),
    ),
    needsAttention: boolean({ note: "Whether an operator has to decide about it" }),
    direction: optional(
      oneOf(["CREDIT", "DEBIT"], {
        note: "Whether an adjustment credits or debits the wallet; left out of all other flows",
      }),
    ),
    reference,
    metadata,
    ...shownParties,
    createdAt: created,
    updatedAt: changed,
  },
  { name: "Transaction", note: "A transaction" },
);

/** Why an operator has to decide about a transaction. */
export const problem = text({
  max: 500,
  note: "Why you have to decide about it, as its bank or payrail says; left out if there is no problem",
  example: "The bank refuses the file without a reason (NARR)",
});

export const screeningReasons = list(text({ max: 512, note: "A reason", example: "On a list" }), {
  max: 10,
  note: "Why: the screening's reasons or its code, or the person's note",
});

/** A decision whether a payout may leave. */
const verdict = object(
  {
    at: timestamp({ note: "When it was decided" }),
    decision: oneOf(["ALLOW", "REVIEW", "DENY"], { note: "What was decided" }),
    reasons: screeningReasons,
    by: text({ note: "The name of the screening, or the id of the person", example: "sandbox" }),
  },
  { name: "ScreeningVerdict", note: "A decision whether a payout may leave" },
);

/** Only a payout that is stopped and released again and again has more. */
export const VERDICTS_KEPT = 10;

export const screening = list(verdict, {
  max: VERDICTS_KEPT,
  note: "The last decisions of the screening and of persons, oldest first; left out if there are none",
});

export const timeline = object({
  problem: optional(problem),
  screening: optional(screening),
  // A node of the previous release leaves it out.
  requestId: optional(
    nullable(
      text({
        max: 64,
        note: "The X-Request-Id of the request that made it, which log lines about it have too; null if no request made it",
        example: "0198c0de-7a5f-7000-8000-9b3e7d1c5a20",
      }),
    ),
  ),
  states: list(
    object(
      {
        status: text({ note: "The status", example: "SUCCESS" }),
        at: timestamp({ note: "When it was entered" }),
        by: optional(
          text({ max: 1024, note: "The operator who decided, and why", example: "Asked the bank" }),
        ),
      },
      { name: "TransactionState", note: "A status that a transaction has entered" },
    ),
    {
      max: 100,
      note: "The statuses that it has entered, oldest first",
    },
  ),
  entries: list(anything<unknown>({ note: "An entry of a statement" }), {
    max: 500,
    note: "Its entries in the statement of the wallet",
  }),
  deliveries: list(anything<unknown>({ note: "A delivery" }), {
    max: 1_000,
    note: "The deliveries of its events",
  }),
});
