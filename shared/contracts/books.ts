// Contract of the books: where the money is, and how far the ledger's checkpoints lag behind.

import { FEE_KINDS, type FeeKind } from "../config/fee-table.ts";
import { CURRENCIES } from "../money.ts";
import { list, object } from "./compound-fields.ts";
import { action, currency, signedMoney } from "./contract.ts";
import { nullable, optional } from "./field.ts";
import { boolean, integer, number, timestamp } from "./fields.ts";

const cleared = signedMoney("What went out, less what came back; below zero for what came in");

/** The accounts of the ledger by their meaning (docs/change/ledger.md). Their sum is zero. */
const sums = object(
  {
    currency,
    wallets: signedMoney("What end users and businesses have in wallets", "74.75"),
    collectionAccounts: signedMoney("What customers have paid and no wallet has yet", "25.00"),
    fees: signedMoney("The fees that were charged, less those that were given back", "1.31"),
    transit: signedMoney("What has left one account and is not in the other yet", "0.00"),
    outside: signedMoney("The fundings of wallets, below zero", "-100.00"),
    // A node of the previous release leaves it out.
    adjustments: optional(
      signedMoney(
        "What operators have corrected by adjustments, credits below zero; left out if it is nothing",
        "-10.00",
      ),
    ),
    clearing: object(
      Object.fromEntries(FEE_KINDS.map((kind) => [kind, optional(cleared)])) as Record<
        FeeKind,
        ReturnType<typeof optional<string>>
      >,
      {
        note: "What rails and acquirers have moved, by the method of payouts and the kind of collections; one without money is left out",
        example: { ACH: "25.00", CARD_COLLECTION: "-26.06" },
      },
    ),
    total: signedMoney("The sum of all of them; 0.00 if the books are right", "0.00"),
  },
  { name: "CurrencyBooks", note: "Where the money of a currency is" },
);

const books = object(
  {
    at: timestamp({ note: "When it was read; all of it is of one moment" }),
    balanced: boolean({ note: "Whether the total of every currency is zero" }),
    currencies: list(sums, {
      max: CURRENCIES.length,
      note: "The sums by currency; a currency without money is left out",
    }),
    lag: object(
      {
        blocks: integer({ min: 0, note: "The blocks that no checkpoint covers yet", example: 3 }),
        oldestSeconds: nullable(
          number({ min: 0, note: "The age of the oldest of them", example: 0.4 }),
        ),
      },
      { note: "How far the checkpoints of the balances are behind the journal" },
    ),
  },
  { name: "Books", note: "The books at one moment" },
);

export const ledgerBooks = {
  "wallet-ledger.books": action({
    does: "Shows where the money is now, by currency, and whether all of it sums to zero",
    params: {},
    result: books,
    // It reads all accounts.
    timeoutMs: 15_000,
  }),
};
