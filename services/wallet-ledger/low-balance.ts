// Tells a business that the balance of a wallet has fallen below its `lowBalanceAt`. The journal is
// the outbox: a wallet with the mark keeps the number of the last block that was looked at, and a
// round reads its blocks from there on, in the order in which they were committed. So every fall is
// told, however short, and a fall is told once: its event's id comes from the posting. Postings
// themselves pay nothing for it.

import { idOfName } from "../../shared/ids.ts";
import { toDecimal, toMinor } from "../../shared/money.ts";
import type { RelayedEvent } from "../../shared/resumable/relay.ts";
import { type Sweep, startSweep } from "../../shared/resumable/sweeps.ts";
import type { Deps, Environment } from "./deps.ts";
import { type Account, BY_LOW_BALANCE, type LowBalance, type Transfer } from "./journal.model.ts";
import type { Ledger } from "./ledger.ts";
import { isEntry } from "./reads.ts";
import type { WalletBlocks } from "./wallet-blocks.ts";
import type { WalletView } from "./wallets.ts";

/** Between two rounds. A round costs a read of the wallets with the mark. */
const EVERY_MS = 1_000;
const AT_ONCE = 100;

type Watched = Account & { lowBalance: LowBalance };

/** Sets or clears the mark. A balance that is below it already has not fallen. */
export async function watchBalance(
  { clock, collection, ledger, lowBalances }: Deps,
  { id, lowBalanceAt: present }: WalletView,
  lowBalanceAt: string | null,
): Promise<void> {
  const accounts = collection("ledger_accounts");
  if (lowBalanceAt === null) {
    await accounts.updateOne({ _id: id }, { $unset: { lowBalance: "" } });
    return;
  }
  const belowMinor = toMinor(Number(lowBalanceAt)) as number;
  // The same mark again is the same: what it has told stays told.
  if (toDecimal(belowMinor) === present) return;
  const { n, balance } = (await ledger.reads.account(id)) as { n: number; balance: number };
  const lowBalance: LowBalance = { belowMinor, n, isLow: balance < belowMinor };
  await accounts.updateOne({ _id: id }, { $set: { lowBalance } });
  lowBalances.noticeDue(clock.now() + EVERY_MS);
}

/** Tells of falls until it is stopped. */
export function watchBalances(
  { collection, clock, turns, publish, log }: Environment,
  { walletBlocks }: Pick<Ledger, "walletBlocks">,
): Sweep {
  const accounts = collection("ledger_accounts");

  async function round(isStopped: () => boolean): Promise<number | undefined> {
    const moved = {
      lowBalance: { $exists: true },
      $expr: { $gt: ["$checkpoint.n", "$lowBalance.n"] },
    };
    const found = accounts.find(moved).hint(BY_LOW_BALANCE).batchSize(AT_ONCE);
    for await (const account of found) {
      if (isStopped()) break;
      await look(account as Watched);
    }
    const isAny = await accounts.findOne(
      { lowBalance: { $exists: true } },
      { hint: BY_LOW_BALANCE },
    );
    return isAny ? clock.now() + EVERY_MS : undefined;
  }

  /** Tells of the falls since the last look, and then stores that they are told. */
  async function look({ checkpoint, ...account }: Watched): Promise<void> {
    const { _id, lowBalance } = account;
    const { belowMinor, n: from, isLow: wasLow } = lowBalance;
    const falls: Entry[] = [];
    let newest: Entry | undefined;
    let later: Entry | undefined;
    for await (const entry of entriesBackwards(walletBlocks, _id, checkpoint.n, from)) {
      if (later && isFall(later, entry.balance < belowMinor)) falls.push(later);
      newest ??= entry;
      later = entry;
    }
    if (later && isFall(later, wasLow)) falls.push(later);
    function isFall({ balance }: Entry, wasBelow: boolean): boolean {
      return balance < belowMinor && !wasBelow;
    }
    const events = falls.toReversed().map((entry) => eventOf(account, entry));
    if (events.length > 0) await publish(events);
    const isLow = newest ? newest.balance < belowMinor : wasLow;
    await accounts.updateOne(
      { _id, "lowBalance.n": from, "lowBalance.belowMinor": belowMinor },
      { $set: { "lowBalance.n": checkpoint.n, "lowBalance.isLow": isLow } },
    );
  }

  return startSweep({
    clock,
    turns,
    round,
    onError: (error) => log.warn("Low balances are told later", error),
  });
}

/** An entry of a wallet's statement, with its block and its place in it. */
interface Entry extends Pick<Transfer, "id" | "balance"> {
  n: number;
  at: number;
  place: number;
}

/** The entries of a wallet from block `n` back to the one after block `after`, newest first. */
async function* entriesBackwards(
  { backwards }: WalletBlocks,
  walletId: string,
  n: number,
  after: number,
): AsyncGenerator<Entry> {
  for await (const { transfers, ...block } of backwards(walletId, n, after)) {
    const entries = transfers.filter(isEntry).map((each, place) => ({ ...each, ...block, place }));
    yield* entries.toReversed();
  }
}

/** A block has fewer entries. */
const PLACES = 10_000;

function eventOf(account: Omit<Watched, "checkpoint">, entry: Entry): RelayedEvent {
  const { _id: walletId, businessId, entityId, currency, lowBalance } = account;
  const { id, n, at, place, balance } = entry;
  const payload = {
    transactionId: walletId,
    walletId,
    entityId: entityId as string,
    currency,
    balance: toDecimal(balance),
    lowBalanceAt: toDecimal(lowBalance.belowMinor),
    timestamp: at,
    reason: "",
  };
  return {
    id: idOfName("low-balance", walletId, id),
    businessId: businessId as string,
    transactionId: walletId,
    seq: n * PLACES + place + 1,
    at,
    body: { eventType: "BALANCE", status: "LOW", payload },
  };
}
