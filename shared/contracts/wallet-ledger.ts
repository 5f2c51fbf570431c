// Contracts of wallet-ledger: wallets, collection accounts, and the only way to change a balance.

import { FEE_KINDS } from "../config/fee-table.ts";
import { CURRENCIES } from "../money.ts";
import { list, object } from "./compound-fields.ts";
import {
  action,
  businessId,
  created,
  currency,
  cursored,
  cursorPage,
  money,
  page,
  paging,
  ready,
} from "./contract.ts";
import { nullable, optional } from "./field.ts";
import { amount, boolean, id, integer, oneOf, text, timestamp, uuid } from "./fields.ts";
import { whereAreAction, whereIsAction } from "./find.ts";
import { byParties } from "./parties.ts";
import { amountAsShown, fundingFilter, transaction } from "./transactions.ts";

const walletFields = {
  id: uuid({ note: "The id of the wallet" }),
  businessId: uuid({ note: "The business that it belongs to" }),
  entityId: uuid({ note: "Its owner: an end user, or the business itself" }),
  currency,
  type: oneOf(["SPEND"], { note: "The type of the wallet" }),
  balance: money("The balance", "74.50"),
  disabled: boolean({ note: "Whether it is disabled, so that it cannot be debited" }),
  // A node of the previous release leaves both out.
  frozen: optional(
    boolean({ note: "Whether an operator has frozen it, so that nothing is paid out of it" }),
  ),
  lowBalanceAt: optional(
    nullable(
      money("The balance below which you are told by an event; null if you are not", "100.00"),
    ),
  ),
  createdAt: created,
};

export const wallet = object(walletFields, { name: "Wallet", note: "A wallet" });

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

/** The kinds of the ledger's own requests, beside those that other services post. */
export const OWN_KINDS = [
  "funding",
  "adjustment-credit",
  "adjustment-debit",
  "transfer-out",
  "transfer-in",
  "wallet-transfer-out",
  "wallet-transfer-in",
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
  deadline: optional(
    integer({ note: "Epoch ms, by the caller's clock, after which the posting does not start" }),
  ),
});

const postingResult = object({
  outcome: oneOf(["committed", "declined", "failed"]),
  reason: optional(
    oneOf(["funds", "disabled", "void", "bound", "conflict", "rejected", "overloaded", "unknown"]),
  ),
});

export const entry = object(
  {
    id: text({ note: "The id of the entry", example: "0198c0de-7a51-7000-8000-3f1d5a2b9c01" }),
    transactionId: text({
      note: "The transaction that it belongs to",
      example: "0198c0de-7a51-7000-8000-3f1d5a2b9c01",
    }),
    kind: text({
      note: "What was posted, such as payout, payout-reversal, TRANSFER or ADJUSTMENT",
      example: "payout",
    }),
    entry: oneOf(["DEBIT", "CREDIT"], { note: "Whether the wallet was debited or credited" }),
    amount: money("The amount", "25.25"),
    balance: money("The balance after it", "74.50"),
    // The previous release does not send it.
    block: optional(
      text({
        note: "The partition and the number of its block. A head of the ledger with this number or a higher one in the partition includes the entry",
        example: "11.4211",
      }),
    ),
    createdAt: created,
  },
  { name: "StatementEntry", note: "An entry of the statement of a wallet" },
);

const transfer = object(
  {
    id: uuid({ note: "The id of the transfer" }),
    status: oneOf(["PENDING", "SUCCESS", "FAILED"], { note: "The status of the transfer" }),
    collectionAccountId: uuid({ note: "The collection account that is debited" }),
    walletId: uuid({ note: "The wallet that is credited" }),
    amount: money("The amount"),
    currency,
    reference: text({ note: "The reference of the request", example: "week-7" }),
    createdAt: created,
  },
  { name: "Transfer", note: "A transfer of collected money to a wallet" },
);

const TO_WALLET = "0198c0de-7a52-7000-8000-2c8d5e1f7b94";
const walletTransfer = object(
  {
    id: uuid({ note: "The id of the transfer" }),
    status: oneOf(["PENDING", "SUCCEEDED", "FAILED"], {
      note: "The status of the transfer. It is PENDING only until the money has arrived, and FAILED only if the credited wallet could not hold it: then it is back",
      example: "SUCCEEDED",
    }),
    fromWalletId: uuid({ note: "The wallet that is debited" }),
    toWalletId: uuid({ note: "The wallet that is credited", example: TO_WALLET }),
    amount: money("The amount"),
    currency,
    reference: text({ note: "The reference of the request", example: "order-1042" }),
    description: nullable(
      text({ max: 512, note: "The description of the request", example: "Share of order 1042" }),
    ),
    createdAt: created,
  },
  { name: "WalletTransfer", note: "A transfer between two wallets of a business" },
);
const transferId = id({ note: "The id of the transfer" });

const verification = object(
  {
    startedAt: nullable(timestamp({ note: "When the verification began" })),
    finishedAt: nullable(timestamp({ note: "When it ended; null if none was recorded" })),
    overdue: boolean({ note: "Whether none has finished in the last 26 hours" }),
    ok: nullable(boolean({ note: "Whether no rule is violated" })),
    version: nullable(text({ note: "The version of payrail that verified", example: "0.1.0" })),
    violationCount: nullable(integer({ min: 0, note: "The number of violations", example: 0 })),
    rules: list(
      object(
        {
          rule: text({ note: "The rule", example: "balances" }),
          checked: integer({
            min: 0,
            note: "The number of documents that were checked",
            example: 1204311,
          }),
          violations: integer({ min: 0, note: "The number of violations of the rule", example: 0 }),
        },
        { name: "VerifiedRule", note: "A rule that was verified" },
      ),
      { max: 100, note: "The rules that were verified" },
    ),
    violations: list(
      object(
        {
          rule: text({ note: "The rule", example: "balances" }),
          detail: text({
            max: 500,
            note: "The document that violates the rule, and how",
            example: "…",
          }),
        },
        { name: "Violation", note: "A violation of a rule" },
      ),
      { max: 1_000, note: "The first violations of each rule" },
    ),
  },
  { name: "Verification", note: "A verification of the books" },
);

const collectionAccount = object(
  {
    id: uuid({ note: "The id of the collection account" }),
    currency,
    balance: money("The balance", "74.50"),
  },
  { name: "CollectionAccount", note: "What customers have paid in a currency" },
);

/** The filter of a statement. */
const posted = {
  from: optional(timestamp({ note: "Only entries posted then or later" })),
  to: optional(timestamp({ note: "Only entries posted before" })),
  ...cursored,
};

const walletIdInPath = id({ note: "The id of the wallet" });
const collectionAccountId = id({ note: "The id of the collection account" });

const disabled = boolean({ note: "Whether it is to be disabled" });

export const walletLedger = {
  "wallet-ledger.ready": ready,

  "wallet-ledger.openWallet": action({
    does: "Opens the wallet of an entity in a currency. A repeated call returns the same wallet",
    params: {
      businessId,
      entityId: uuid({ note: "Its owner: an end user, or the business itself" }),
      currency,
    },
    result: object({ created: boolean(), wallet }),
    meta: ["creation"],
    errors: ["ENTITY_NOT_FOUND"],
    callers: ["gateway", "accounts"],
  }),

  "wallet-ledger.wallet": action({
    does: "Shows a wallet of a business with its balance",
    params: { businessId, walletId: walletIdInPath },
    result: wallet,
    errors: ["WALLET_NOT_FOUND"],
    callers: ["gateway", "accounts", "payouts"],
  }),

  "wallet-ledger.ownWallets": action({
    does: "Lists the wallets of the caller with their balances. Those of a business are its own, not those of its end users",
    params: { entityId: uuid({ note: "Their owner" }) },
    result: list(
      object(
        {
          id: walletFields.id,
          currency,
          balance: walletFields.balance,
          disabled: walletFields.disabled,
          frozen: walletFields.frozen,
        },
        { name: "OwnWallet", note: "A wallet as its owner sees it" },
      ),
      { max: CURRENCIES.length },
    ),
  }),

  "wallet-ledger.wallets": action({
    does: "Shows wallets by id with their balances; unknown ids are left out",
    params: { ids: list(uuid(), { max: 1_000 }) },
    result: list(wallet, { max: 1_000 }),
    callers: ["accounts"],
  }),

  "wallet-ledger.businessWallets": action({
    does: "Lists the wallets of a business, or of one of its entities, with their balances",
    params: {
      businessId,
      entityId: optional(uuid({ note: "Only wallets of this owner" })),
      ...paging,
    },
    result: page(wallet),
    callers: ["gateway", "accounts"],
  }),

  // Gateways of the previous release know only this one.
  "wallet-ledger.setDisabled": action({
    does: "Disables a wallet, or enables it again",
    params: { businessId, walletId: walletIdInPath, disabled },
    postsTo: "walletId",
    result: wallet,
    errors: ["WALLET_NOT_FOUND"],
    callers: [],
  }),

  "wallet-ledger.updateWallet": action({
    does: "Disables a wallet or enables it again, and sets the balance below which you are told. A disabled wallet cannot be debited; payouts that fail still come back to it",
    params: {
      businessId,
      walletId: walletIdInPath,
      disabled: optional(disabled),
      lowBalanceAt: optional(
        nullable(
          amountAsShown(
            "The balance below which you are told, once each time the balance falls below it; null to be told no more",
            "100.00",
          ),
        ),
      ),
    },
    postsTo: "walletId",
    result: wallet,
    errors: ["WALLET_NOT_FOUND"],
  }),

  "wallet-ledger.fund": action({
    does: "Credits a wallet from outside. The same reference has the same result",
    params: {
      businessId,
      walletId: walletIdInPath,
      amount: amount({ note: "The amount to credit", example: 100 }),
      reference: text({
        note: "Your id of the funding. The same reference credits once",
        example: "wire-311",
      }),
    },
    postsTo: "walletId",
    result: transaction,
    meta: ["creation"],
    errors: ["WALLET_NOT_FOUND", "CONFLICT", "BALANCE_BOUND"],
  }),

  "wallet-ledger.adjust": action({
    does: "Corrects the balance of a wallet. The same reference has the same result; that of a refused adjustment may be used again",
    params: {
      businessId,
      walletId: walletIdInPath,
      direction: oneOf(["CREDIT", "DEBIT"], { note: "Whether the wallet is credited or debited" }),
      amount: amount({ note: "The amount of the correction", example: 100 }),
      reference: text({
        note: "Your id of the adjustment. The same reference corrects the wallet once",
        example: "ticket-311",
      }),
      note: text({ max: 512, note: "Why, for the audit log", example: "Credited twice by hand" }),
    },
    postsTo: "walletId",
    result: transaction,
    meta: ["creation", "deadline"],
    errors: [
      "WALLET_NOT_FOUND",
      "CONFLICT",
      "INSUFFICIENT_FUNDS",
      "WALLET_DISABLED",
      "BALANCE_BOUND",
    ],
  }),

  "wallet-ledger.move": action({
    does: "Moves money between two wallets of a business: its own and those of its end users. The same reference has the same result; that of a refused transfer may be used again",
    params: {
      businessId,
      fromWalletId: uuid({ note: "The wallet that is debited" }),
      toWalletId: uuid({
        note: "The wallet that is credited, in the same currency",
        example: TO_WALLET,
      }),
      amount: amount({ note: "The amount to move", example: 25 }),
      reference: text({
        note: "Your id of the transfer, unique among the transfers of the business",
        example: "order-1042",
      }),
      description: optional(
        text({ max: 512, note: "What it is for", example: "Share of order 1042" }),
      ),
    },
    postsTo: "fromWalletId",
    result: walletTransfer,
    meta: ["creation", "deadline"],
    errors: [
      "WALLET_NOT_FOUND",
      "CONFLICT",
      "BUSINESS_FROZEN",
      "ENTITY_FROZEN",
      "WALLET_FROZEN",
      "INSUFFICIENT_FUNDS",
      "WALLET_DISABLED",
      "BALANCE_BOUND",
    ],
  }),

  "wallet-ledger.walletTransfers": action({
    does: "Lists the transfers between wallets of a business, newest first",
    params: {
      businessId,
      walletId: optional(uuid({ note: "Only transfers out of this wallet or into it" })),
      from: optional(timestamp({ note: "Only transfers made then or later" })),
      to: optional(timestamp({ note: "Only transfers made before" })),
      ...cursored,
    },
    result: cursorPage(walletTransfer),
  }),

  "wallet-ledger.walletTransfer": action({
    does: "Shows a transfer between wallets",
    params: { businessId, id: transferId },
    result: walletTransfer,
    errors: ["TRANSFER_NOT_FOUND"],
  }),

  "wallet-ledger.entries": action({
    does: "Lists the statement of a wallet, newest first",
    params: { businessId, walletId: walletIdInPath, ...posted },
    result: cursorPage(entry),
    errors: ["WALLET_NOT_FOUND"],
  }),

  "wallet-ledger.entriesOf": action({
    does: "The statement entries of one transaction on a wallet, oldest first",
    params: { walletId: uuid(), transactionId: uuid() },
    result: list(entry, { max: 10 }),
    callers: ["gateway", "payouts", "payment-links"],
  }),

  "wallet-ledger.committed": action({
    does: "Says of each posting whether the journal has committed it",
    params: { postings: list(object({ id: text(), walletId: uuid() }), { max: 500 }) },
    result: list(boolean(), { max: 500 }),
    callers: ["payouts"],
  }),

  "wallet-ledger.fundings": action({
    does: "Lists the ledger's own transactions of one flow, newest first",
    params: { ...fundingFilter, parties: byParties },
    result: cursorPage(transaction),
    errors: ["TOO_BROAD"],
  }),

  "wallet-ledger.funding": action({
    does: "Shows a funding, a transfer between wallets or an adjustment as a transaction",
    params: { businessId, id: id() },
    result: transaction,
    errors: ["TRANSACTION_NOT_FOUND"],
  }),

  "wallet-ledger.whereIs": whereIsAction(
    "a wallet, a collection account, a funding, an adjustment or a transfer",
  ),

  "wallet-ledger.whereAre": whereAreAction(
    "fundings, adjustments and transfers",
    "their reference",
  ),

  "wallet-ledger.openCollectionAccount": action({
    does: "Opens the collection account of a business in a currency. A repeated call returns the same account",
    params: { businessId, currency },
    result: object({ created: boolean(), account: collectionAccount }),
    meta: ["creation"],
    errors: ["BUSINESS_NOT_FOUND"],
  }),

  "wallet-ledger.collectionAccounts": action({
    does: "Lists the collection accounts of a business",
    params: { businessId, ...paging },
    result: page(collectionAccount),
  }),

  "wallet-ledger.collectionEntries": action({
    does: "Lists the statement of a collection account, newest first",
    params: { businessId, id: collectionAccountId, ...posted },
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
    does: "Transfers from a collection account to a wallet of the business itself. The same reference has the same result",
    params: {
      businessId,
      id: collectionAccountId,
      walletId: uuid({ note: "The wallet of the business that is credited" }),
      amount: amount({ note: "The amount to transfer", example: 25 }),
      reference: text({
        note: "Your id of the transfer. The same reference transfers once",
        example: "week-7",
      }),
    },
    postsTo: "id",
    result: transfer,
    meta: ["creation"],
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
    does: "Lists the transfers from a collection account",
    params: { businessId, id: collectionAccountId, ...paging },
    result: page(transfer),
    errors: ["COLLECTION_ACCOUNT_NOT_FOUND"],
  }),

  "wallet-ledger.verification": action({
    does: "Shows the last recorded verification of the books",
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
