// Contracts of reports about a business's money: the balance report of a period, and the sums of
// its accounts now. Each part of the balance report is an action: the ledger has the movements,
// the owners of the transactions have the parties and the references.

import { CURRENCIES } from "../money.ts";
import { list, object } from "./compound-fields.ts";
import { action, businessId, currency, money, signedMoney } from "./contract.ts";
import { type Infer, nullable, optional } from "./field.ts";
import { integer, oneOf, text, timestamp, uuid } from "./fields.ts";
import type { OWN_KINDS, POSTING_KINDS } from "./wallet-ledger.ts";

/** The kinds of movements of a merchant's money. */
const MOVEMENT_KINDS = [
  "PAYOUT",
  "PAYOUT_REVERSAL",
  "PAYMENT",
  "REFUND",
  "FUNDING",
  "TRANSFER",
  "ADJUSTMENT",
  "DISPUTE",
] as const;

/** The kind of movement of each kind of posting. A refused refund is a REFUND with other signs. */
export const MOVEMENT_KIND = {
  payout: "PAYOUT",
  "payout-reversal": "PAYOUT_REVERSAL",
  collection: "PAYMENT",
  refund: "REFUND",
  "refund-reversal": "REFUND",
  funding: "FUNDING",
  "transfer-out": "TRANSFER",
  "transfer-in": "TRANSFER",
  "wallet-transfer-out": "TRANSFER",
  "wallet-transfer-in": "TRANSFER",
  "adjustment-credit": "ADJUSTMENT",
  "adjustment-debit": "ADJUSTMENT",
} as const satisfies Record<
  (typeof POSTING_KINDS)[number] | (typeof OWN_KINDS)[number],
  (typeof MOVEMENT_KINDS)[number]
>;

/** What the ledger knows of a movement. */
const movementFields = {
  createdAt: timestamp({ note: "When it was posted" }),
  kind: oneOf(MOVEMENT_KINDS, {
    note: "What moved. A payout that fails comes back as PAYOUT_REVERSAL, a refund that is refused as a REFUND above zero",
  }),
  transactionId: text({
    note: "The transaction, refund or transfer that it belongs to",
    example: "0198c0de-7a51-7000-8000-3f1d5a2b9c01",
  }),
  gross: signedMoney("The amount without the fee, with the sign of net", "-25.00"),
  fee: signedMoney("What payrail kept; below zero if it gave a fee back", "0.25"),
  net: signedMoney(
    "What the account changed by: gross less fee; below zero if it was debited",
    "-25.25",
  ),
  balance: signedMoney("The balance of the account after it", "74.75"),
  reference: nullable(
    text({
      max: 512,
      note: "Your own reference: that of the payout, the funding, the transfer or the refund, or the orderId of the payment's link; null without one",
      example: "wire-311",
    }),
  ),
};

const movement = object(movementFields);

const party = nullable(
  text({
    max: 600,
    note: "The person on the other side: the recipient of a payout, the customer of a payment or of a refund; null without one, and once the person is erased",
    example: "Ada Lovelace",
  }),
);

const rowFields = {
  ...movementFields,
  accountId: uuid({ note: "The wallet or collection account that it changed" }),
  party,
};
export const balanceRow = object(rowFields, { name: "BalanceRow", note: "A movement of money" });
export type BalanceRow = Infer<typeof rowFields>;

/** A range of blocks of an account. The journal's order is the order of the movements. */
const blocksOfAccount = {
  businessId,
  accountId: uuid(),
  after: integer({ min: 0, note: "The block before the range" }),
  through: integer({ min: 0, note: "The account's last block of the range" }),
};

export const period = {
  businessId,
  currency: oneOf(CURRENCIES, { note: "The currency", example: "USD" }),
  from: timestamp({ note: "The start of the period, inclusive", example: "2026-01-01T00:00:00Z" }),
  to: timestamp({ note: "The end of the period, exclusive", example: "2026-02-01T00:00:00Z" }),
  walletId: optional(
    uuid({ note: "Only this wallet or collection account, which may be an end user's" }),
  ),
};

/** Beyond the time of one action, because one call may read thousands of blocks. */
export const READ_WITHIN_MS = 15_000;
/** Movements of one page; it ends with a block, which has at most 1,000 more. */
export const PAGE_MOVEMENTS = 500;
export const MOST_MOVEMENTS = PAGE_MOVEMENTS + 1_000;
/** `pages` stops after so many blocks, because it may have to read each of them by itself. */
export const BLOCKS_PER_CALL = 500;

const transactionIds = { businessId, ids: list(uuid(), { max: MOST_MOVEMENTS }) };
const { reference } = movementFields;

export const reports = {
  "wallet-ledger.period": action({
    does: "Finds the accounts of a report, each with its balances before and after a period, and with the range of its blocks",
    params: period,
    result: list(
      object({
        id: uuid(),
        opening: integer({ note: "In minor units" }),
        closing: integer({ note: "In minor units" }),
        after: blocksOfAccount.after,
        through: blocksOfAccount.through,
      }),
      { max: 2 },
    ),
    errors: ["WALLET_NOT_FOUND"],
    timeoutMs: READ_WITHIN_MS,
  }),

  "wallet-ledger.pages": action({
    does: "Finds the newest pages of a range of an account's blocks, and divides what is left, so that a reader can begin with the oldest page",
    params: blocksOfAccount,
    result: object({
      ends: list(blocksOfAccount.through, {
        max: BLOCKS_PER_CALL,
        note: "The last block of each page, oldest first",
      }),
      rest: nullable(
        object(
          {
            middle: integer({ min: 0, note: "The last block of its older half" }),
            through: integer({ min: 0, note: "Its last block" }),
          },
          { note: "What is left of the range; null if the pages are all of it" },
        ),
      ),
    }),
    errors: ["WALLET_NOT_FOUND"],
    timeoutMs: READ_WITHIN_MS,
  }),

  "wallet-ledger.movements": action({
    does: "Lists the movements in a page of an account's blocks, oldest first",
    params: blocksOfAccount,
    result: list(movement, { max: MOST_MOVEMENTS }),
    errors: ["WALLET_NOT_FOUND"],
    timeoutMs: READ_WITHIN_MS,
  }),

  "payouts.references": action({
    does: "Tells the references and the linked accounts of payouts; unknown ids are left out",
    params: transactionIds,
    result: list(object({ id: uuid(), linkedAccountId: uuid(), reference }), {
      max: MOST_MOVEMENTS,
    }),
  }),

  "payment-links.references": action({
    does: "Tells the references and the customers of payments and refunds; unknown ids are left out",
    params: transactionIds,
    result: list(object({ id: uuid(), party, reference }), { max: 2 * MOST_MOVEMENTS }),
  }),

  "wallet-ledger.balances": action({
    does: "Shows the sums of the money of a business and of its end users by currency, all at one moment",
    params: { businessId },
    result: list(
      object(
        {
          currency,
          own: money("The balance of the business's own wallet", "74.50"),
          collection: signedMoney("The balance of its collection account", "25.00"),
          entities: money("The sum of the wallets of its end users", "1250.00"),
        },
        { name: "Balances", note: "The money of a business in a currency" },
      ),
      { max: CURRENCIES.length, note: "The currencies in which the business has an account" },
    ),
  }),
};
