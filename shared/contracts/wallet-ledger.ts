// Contracts of wallet-ledger: wallets, collection accounts, and the only way to change a balance.

import { list, object } from "../compound-fields.ts";
import { FEE_KINDS } from "../fee-table.ts";
import { nullable, optional } from "../field.ts";
import { amount, boolean, id, integer, oneOf, text, timestamp, uuid } from "../fields.ts";
import {
  action,
  created,
  currency,
  cursored,
  cursorPage,
  decimal,
  page,
  paging,
  ready,
} from "./contract.ts";
import { fundingFilter, transaction } from "./transactions.ts";

export const wallet = object({
  id: uuid(),
  businessId: uuid(),
  entityId: uuid(),
  currency,
  type: oneOf(["SPEND"]),
  balance: decimal,
  disabled: boolean(),
  createdAt: timestamp(),
});

/**
 * A payout debits amount and fees; a collection credits the amount less the fees, and a refund
 * debits the same again. A reversal undoes the posting that its id names.
 */
export const POSTING_KINDS = [
  "payout",
  "payout-reversal",
  "collection",
  "refund",
  "refund-reversal",
] as const;

/** A posting for another service, which stored the posting's id before the first call. */
const posting = object({
  id: text({ max: 64, note: "The transfer's id: a UUID, or <id>:reversal" }),
  kind: oneOf(POSTING_KINDS),
  walletId: uuid(),
  currency,
  method: oneOf(FEE_KINDS),
  amountMinor: integer({
    min: 1,
    note: "The amount that is paid out, charged or refunded, in minor units",
  }),
  feesMinor: integer({ min: 0, note: "In minor units; at most the charged amount" }),
  void: optional(
    boolean({ note: "Do not post any more: return the stored result, or journal a decline" }),
  ),
  retry: optional(boolean({ note: "The id may be in the journal already" })),
  deadline: optional(integer({ note: "Epoch ms after which the posting does not start" })),
});

const postingResult = object({
  outcome: oneOf(["committed", "declined", "failed"]),
  reason: optional(
    oneOf(["funds", "disabled", "void", "bound", "conflict", "rejected", "overloaded", "unknown"]),
  ),
});

const entry = object({
  id: text(),
  transactionId: text(),
  kind: text(),
  entry: oneOf(["DEBIT", "CREDIT"]),
  amount: decimal,
  balance: decimal,
  createdAt: timestamp(),
});

const transfer = object({
  id: uuid(),
  status: oneOf(["PENDING", "SUCCESS", "FAILED"]),
  collectionAccountId: uuid(),
  walletId: uuid(),
  amount: decimal,
  currency,
  reference: text(),
  createdAt: created,
});

const verification = object({
  startedAt: nullable(timestamp()),
  finishedAt: nullable(timestamp({ note: "null: no verification was recorded" })),
  overdue: boolean({ note: "Whether none has finished in the last 26 hours" }),
  ok: nullable(boolean({ note: "Whether no rule is violated" })),
  version: nullable(text({ note: "payrail's version of the verification" })),
  violationCount: nullable(integer({ min: 0 })),
  rules: list(
    object({
      rule: text({ note: "A rule of docs/verify.md" }),
      checked: integer({ min: 0 }),
      violations: integer({ min: 0 }),
    }),
    { max: 100 },
  ),
  violations: list(
    object({
      rule: text(),
      detail: text({ max: 500, note: "The document that violates the rule, and how" }),
    }),
    { max: 1_000, note: "The first violations of each rule" },
  ),
});

const collectionAccount = object({ id: uuid(), currency, balance: decimal });

export const walletLedger = {
  "wallet-ledger.ready": ready,

  "wallet-ledger.openWallet": action({
    does: "Opens the SPEND wallet of an entity in a currency; a repeated call returns the same wallet",
    params: { businessId: id(), entityId: uuid(), currency },
    result: object({ created: boolean(), wallet }),
    meta: ["making"],
    errors: ["ENTITY_NOT_FOUND"],
    callers: ["gateway", "accounts"],
  }),

  "wallet-ledger.wallet": action({
    does: "Shows a wallet of a business with its balance",
    params: { businessId: id(), walletId: id() },
    result: wallet,
    errors: ["WALLET_NOT_FOUND"],
    callers: ["gateway", "accounts"],
  }),

  "wallet-ledger.wallets": action({
    does: "Shows wallets by id with their balances; unknown ids are left out",
    params: { ids: list(uuid(), { max: 1_000 }) },
    result: list(wallet, { max: 1_000 }),
    callers: ["accounts"],
  }),

  "wallet-ledger.businessWallets": action({
    does: "Lists the wallets of a business, or of one of its entities, with their balances, oldest first",
    params: { businessId: id(), entityId: optional(uuid()), ...paging },
    result: page(wallet),
    callers: ["gateway", "accounts"],
  }),

  "wallet-ledger.setDisabled": action({
    does: "Disables a wallet (debits are declined, reversals still credit it) or enables it again",
    params: { businessId: id(), walletId: id(), disabled: boolean() },
    result: wallet,
    errors: ["WALLET_NOT_FOUND"],
  }),

  "wallet-ledger.fund": action({
    does: "Credits a wallet from outside; the same reference has the same result",
    params: { businessId: id(), walletId: id(), amount: amount(), reference: text() },
    result: transaction,
    meta: ["making"],
    errors: ["WALLET_NOT_FOUND", "CONFLICT", "BALANCE_BOUND"],
  }),

  "wallet-ledger.entries": action({
    does: "The statement of a wallet, newest first",
    params: { businessId: id(), walletId: id(), ...cursored },
    result: cursorPage(entry),
    errors: ["WALLET_NOT_FOUND"],
  }),

  "wallet-ledger.entriesOf": action({
    does: "The statement entries of one transaction on a wallet, oldest first",
    params: { walletId: uuid(), transactionId: uuid() },
    result: list(entry, { max: 10 }),
    callers: ["gateway", "payouts", "payment-links"],
  }),

  "wallet-ledger.fundings": action({
    does: "Lists fundings as transactions, newest first",
    params: fundingFilter,
    result: cursorPage(transaction),
  }),

  "wallet-ledger.funding": action({
    does: "Shows a funding as a transaction",
    params: { businessId: id(), id: id() },
    result: transaction,
    errors: ["TRANSACTION_NOT_FOUND"],
  }),

  "wallet-ledger.openCollectionAccount": action({
    does: "Opens the collection account of a business in a currency; a repeated call returns the same account",
    params: { businessId: id(), currency },
    result: object({ created: boolean(), account: collectionAccount }),
    meta: ["making"],
    errors: ["BUSINESS_NOT_FOUND"],
  }),

  "wallet-ledger.collectionAccounts": action({
    does: "Lists the collection accounts of a business",
    params: { businessId: id(), ...paging },
    result: page(collectionAccount),
  }),

  "wallet-ledger.collectionEntries": action({
    does: "The statement of a collection account, newest first",
    params: { businessId: id(), id: id(), ...cursored },
    result: cursorPage(entry),
    errors: ["COLLECTION_ACCOUNT_NOT_FOUND"],
  }),

  "wallet-ledger.collectionAccountOf": action({
    does: "Finds the collection account of a business in a currency",
    params: { businessId: uuid(), currency },
    result: object({ id: uuid() }),
    errors: ["NO_COLLECTION_ACCOUNT"],
    callers: ["payment-links"],
  }),

  "wallet-ledger.transfer": action({
    does: "Transfers from a collection account to a wallet of the business itself; the same reference has the same result",
    params: {
      businessId: id(),
      id: id(),
      walletId: uuid(),
      amount: amount(),
      reference: text(),
    },
    result: transfer,
    meta: ["making"],
    errors: [
      "COLLECTION_ACCOUNT_NOT_FOUND",
      "WALLET_NOT_FOUND",
      "CONFLICT",
      "INSUFFICIENT_FUNDS",
      "WALLET_DISABLED",
      "BALANCE_BOUND",
    ],
  }),

  "wallet-ledger.transfers": action({
    does: "Lists the transfers from a collection account, oldest first",
    params: { businessId: id(), id: id(), ...paging },
    result: page(transfer),
    errors: ["COLLECTION_ACCOUNT_NOT_FOUND"],
  }),

  "wallet-ledger.verification": action({
    does: "Shows the last recorded verification of the books (npm run verify -- --record)",
    params: {},
    result: verification,
  }),

  "wallet-ledger.post": action({
    does: "Posts transfers independently: a result for each, in order. The same id has the same result. Failed with conflict or rejected is final: no posting with this id and these fields is or will be stored. Failed with unknown or overloaded is to be asked again with the same id; so is a wallet that no read shows",
    params: { postings: list(posting, { max: 1_000 }) },
    result: list(postingResult, { max: 1_000 }),
    callers: ["payouts", "payment-links"],
  }),
};
