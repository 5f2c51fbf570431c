// From payouts and fundings to what has to be there because of them: a payout that was accepted has
// its debit in the journal, one that FAILED its reversal, and every state that webhooks has
// acknowledged its event. All of these are stored before the document says so, and are read after it.
// What a document does not say yet (not accepted, the reversal not answered, the outbox not empty) is
// pending, not wrong.

import type { Status } from "../../shared/contracts/transactions.ts";
import { STATUSES } from "../../shared/contracts/transactions.ts";
import { idAfter } from "../../shared/ids.ts";
import type { Funding } from "./funding.model.ts";
import type { Block } from "./journal.model.ts";
import { partitionOf } from "./postings.ts";
import { REVERSAL } from "./reads.ts";
import { transfersWhere } from "./store.ts";
import { type Books, batchesOf, PHASES } from "./verify-books.ts";

interface Payout {
  _id: string;
  step: string;
  status: Status;
  visible: boolean;
  states: { status: Status; at: number }[];
  relayed: number;
  relayAt?: number;
  walletId: string;
}

/** As it is stored: what was tampered with may hold anything. */
type Stored = Omit<Payout, "states" | "walletId"> & { states: unknown; walletId: unknown };

const READ_AT_ONCE = 1_000;
const PAYOUT_FIELDS = {
  step: 1,
  status: 1,
  visible: 1,
  states: 1,
  relayed: 1,
  relayAt: 1,
  walletId: 1,
};

/** A transfer that has to be in the journal, committed once. */
interface Expected {
  /** As a violation names it. */
  name: string;
  walletId: string;
  transferId: string;
}

/** Every funding that succeeded has its transfer. */
export async function verifyFundings(books: Books, partitions: number): Promise<void> {
  const cursor = books
    .find<Funding>(
      PHASES.fundings,
      { _id: { $lt: books.began } },
      { projection: { status: 1, walletId: 1 } },
    )
    .sort({ _id: 1 })
    .batchSize(READ_AT_ONCE);
  for await (const batch of batchesOf(cursor, READ_AT_ONCE)) {
    const expected = batch
      .filter(({ status }) => status === "SUCCESS")
      .map(({ _id, walletId }) => ({ name: `funding ${_id}`, walletId, transferId: _id }));
    await verifyCommitted(books, "fundings", expected, partitions);
    books.looked("fundings", batch.length);
  }
}

/**
 * Every payout has the debit, the reversal and the events that it has to have.
 * @param retainedMs how long events are kept
 */
export async function verifyPayouts(
  books: Books,
  partitions: number,
  retainedMs: number,
): Promise<void> {
  const cursor = books
    .find<Stored>(PHASES.payouts, { _id: { $lt: books.began } }, { projection: PAYOUT_FIELDS })
    .sort({ _id: 1 })
    .batchSize(READ_AT_ONCE);
  for await (const stored of batchesOf(cursor, READ_AT_ONCE)) {
    const batch = stored.map(payoutOf);
    for (const payout of batch) {
      const problem = contradictionIn(payout);
      if (problem) books.findings.violation("states", `${nameOf(payout)} ${problem}`);
    }
    await verifyCommitted(books, "payouts", batch.flatMap(transfersOf), partitions);
    await verifyEventsOf(books, batch, retainedMs);
    books.looked("payouts", batch.length);
  }
}

function payoutOf({ states, walletId, ...rest }: Stored): Payout {
  const entered = Array.isArray(states) ? (states as Payout["states"]).filter(Boolean) : [];
  return { ...rest, states: entered, walletId: String(walletId) };
}

function nameOf({ _id, status, step }: Payout): string {
  return `payout ${_id} (${status}, ${step})`;
}

const NOT_ACCEPTED = ["claim", "debit", "declined"];

/** The states in which an accepted payout may be at a step (payouts, lifecycle.ts). */
const STATES_AT: Record<string, Status[]> = {
  submit: ["PENDING"],
  submitting: ["PENDING"],
  settle: ["PENDING", "PROCESSING_PAY_OUT"],
  reverse: ["PENDING", "PROCESSING_PAY_OUT", "SUCCESS"],
  watch: ["SUCCESS", "FAILED"],
  closed: ["SUCCESS", "FAILED"],
};

/** What a payout says that cannot be true at once; null for nothing. */
function contradictionIn(payout: Payout): string | null {
  const { step, status, visible, states, relayed, relayAt } = payout;
  const entered = states.map((each) => each.status);
  if (NOT_ACCEPTED.includes(step)) {
    const isUnseen = !visible && entered.length === 0 && status === "PENDING";
    return isUnseen ? null : "was not accepted, and others see it";
  }
  if (!visible) return "was accepted, and nobody sees it";
  if (entered.at(-1) !== status) return `has entered ${entered.at(-1) ?? "nothing"} last`;
  if (!STATES_AT[step]?.includes(status)) return "is not in a state of its step";
  const places = entered.map((each) => STATUSES.indexOf(each));
  const isInOrder = places.every((place, i) => place > (places[i - 1] ?? -1));
  if (!isInOrder || entered[0] !== "PENDING") return `has entered ${entered.join(", ")}`;
  const isBeingTold = relayed < entered.length && relayAt !== undefined;
  if (relayed !== entered.length && !isBeingTold) {
    return `has told of ${relayed} states of ${entered.length}, and nobody tells the rest`;
  }
  return null;
}

/** What the journal has to have of a payout. */
function transfersOf(payout: Payout): Expected[] {
  const { _id, step, status, walletId } = payout;
  if (NOT_ACCEPTED.includes(step)) return [];
  const debit = { name: `debit of ${nameOf(payout)}`, walletId, transferId: _id };
  if (status !== "FAILED") return [debit];
  const reversal = {
    name: `reversal of ${nameOf(payout)}`,
    walletId,
    transferId: _id + REVERSAL,
  };
  return [debit, reversal];
}

/** Looks the expected transfers up, partition by partition. */
async function verifyCommitted(
  { aggregate, findings }: Books,
  rule: "payouts" | "fundings",
  expected: Expected[],
  partitions: number,
): Promise<void> {
  const byPartition = Map.groupBy(expected, ({ walletId }) => partitionOf(walletId, partitions));
  for (const [p, group] of byPartition) {
    const ids = group.map(({ transferId }) => transferId);
    const found = aggregate<Pick<Block, "transfers">>(PHASES.blocks, [
      { $match: { p, "transfers.id": { $in: ids } } },
      { $project: { _id: 0, transfers: transfersWhere("id", ids) } },
      { $project: { "transfers.id": 1, "transfers.outcome": 1 } },
    ]);
    const committed = new Map<string, number>();
    for await (const { transfers } of found) {
      for (const { id, outcome } of transfers) {
        if (outcome === "committed") committed.set(id, (committed.get(id) ?? 0) + 1);
      }
    }
    for (const { name, walletId, transferId } of group) {
      const times = committed.get(transferId) ?? 0;
      if (times === 1) continue;
      findings.violation(
        rule,
        `${name} is ${times} times in the journal of wallet ${walletId}, partition ${p}`,
      );
    }
  }
}

/** Every state that webhooks has acknowledged has its event, as long as events are kept. */
async function verifyEventsOf(books: Books, batch: Payout[], retainedMs: number): Promise<void> {
  const { find, findings } = books;
  const expected = batch.flatMap(({ _id, states, relayed }) =>
    states
      .slice(0, relayed)
      .map((state, i) => ({ ...state, seq: i + 1, payoutId: _id, id: idAfter(_id, i + 1) })),
  );
  const wanted = { _id: { $in: expected.map(({ id }) => id as never) } };
  const ids = await find(PHASES.events, wanted, { projection: { _id: 1 } })
    .map(({ _id }) => String(_id))
    .toArray();
  const stored = new Set(ids);
  const keptSince = Date.now() - retainedMs;
  for (const { payoutId, seq, status, at, id } of expected) {
    if (stored.has(id) || at < keptSince) continue;
    findings.violation(
      "events",
      `payout ${payoutId} has no event of its state ${seq}, ${status} (${id})`,
    );
  }
}
