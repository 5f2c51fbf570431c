// The books for operators: where the money is now, by currency, and how far the checkpoints are
// behind the journal. They are read from the database at one moment, so every process answers the
// same.

import type { Clock } from "../../shared/clock.ts";
import { FEE_KINDS } from "../../shared/config/fee-table.ts";
import type { Result } from "../../shared/contracts/contracts.ts";
import { CURRENCIES, type Currency, toDecimal } from "../../shared/money.ts";
import { BALANCES } from "./postings.ts";
import type { Collections, Store } from "./store.ts";
import { createReadSums } from "./sums.ts";

type Books = Result<"wallet-ledger.books">;

export type ReadBooks = () => Promise<Books>;

export function createReadBooks({
  store,
  collections,
  clock,
}: {
  store: Store;
  collections: Collections;
  clock: Clock;
}): ReadBooks {
  const readSums = createReadSums(collections);
  return () =>
    store.atOneMoment(async (session) => {
      const now = clock.now();
      const tail = await readSums.tail(session);
      const sums = await readSums.ofAll(session, tail);
      const currencies = CURRENCIES.flatMap((currency) => {
        const ofCurrency = sums.get(currency) ?? new Map<string, bigint>();
        const hasMoney = ofCurrency.values().some((minor) => minor !== 0n);
        return hasMoney ? shown(currency, ofCurrency) : [];
      });
      const ageMs = tail.oldestAt === undefined ? null : Math.max(0, now - tail.oldestAt);
      return {
        at: new Date(now).toISOString(),
        balanced: currencies.every(({ total }) => total === ZERO),
        currencies,
        lag: { blocks: tail.blocks, oldestSeconds: ageMs === null ? null : ageMs / 1_000 },
      };
    });
}

const ZERO = toDecimal(0);

/** The sums of a currency by the accounts' meanings; their total is modulo, as balances are. */
function shown(currency: Currency, sums: Map<string, bigint>): Books["currencies"][number] {
  const sumOf = (name: string) => sums.get(name) ?? 0n;
  const clearing: Books["currencies"][number]["clearing"] = {};
  for (const kind of FEE_KINDS) {
    const minor = sumOf(`clearing-${kind}`);
    if (minor !== 0n) clearing[kind] = toDecimal(minor);
  }
  const adjustedMinor = sumOf("adjustments");
  return {
    currency,
    wallets: toDecimal(sumOf("SPEND")),
    collectionAccounts: toDecimal(sumOf("COLLECTION")),
    fees: toDecimal(sumOf("fees")),
    transit: toDecimal(sumOf("transit")),
    outside: toDecimal(sumOf("outside")),
    ...(adjustedMinor !== 0n && { adjustments: toDecimal(adjustedMinor) }),
    clearing,
    total: toDecimal(sums.values().reduce((total, minor) => total + minor, 0n) % BALANCES),
  };
}
