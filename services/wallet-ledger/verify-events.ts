// From the stored events to what they tell of: each speaks of a state that its payout has entered,
// under the id and the place that this state has, to that payout's business, in its own numbers.

import type { mongo } from "mongoose";
import type { Status } from "../../shared/contracts/transactions.ts";
import { idAfter } from "../../shared/ids.ts";
import { type Currency, toDecimal } from "../../shared/money.ts";
import { type Books, batchesOf, PHASES } from "./verify-books.ts";

interface Event {
  _id: string;
  businessId: string;
  transactionId: string;
  seq: number;
  at: Date;
  eventType: string;
  body: string;
}

interface Payout {
  _id: string;
  /** What was tampered with may have none. */
  states: ({ status: Status; at: number } | null)[] | null;
  businessId: string;
  entityId: string;
  walletId: string;
  currency: Currency;
  amountMinor: number;
  feesMinor: number;
}

const READ_AT_ONCE = 1_000;
const EVENT_FIELDS = { businessId: 1, transactionId: 1, seq: 1, at: 1, eventType: 1, body: 1 };
const PAYOUT_FIELDS = {
  states: 1,
  businessId: 1,
  entityId: 1,
  walletId: 1,
  currency: 1,
  amountMinor: 1,
  feesMinor: 1,
};
/** Clocks may disagree by that much, and what expires is removed by the minute. */
const RETENTION_MARGIN_MS = 5 * 60_000;

/** How long events are kept for sure: as long as their collection's index over `at` says. */
export async function retentionOf({ db }: Books): Promise<number> {
  const isThere = await db.listCollections({ name: PHASES.events }).hasNext();
  const indexes = isThere ? await db.collection(PHASES.events).indexes() : [];
  const expiring = indexes.find(
    ({ key, expireAfterSeconds }) => "at" in key && expireAfterSeconds !== undefined,
  );
  if (expiring?.expireAfterSeconds === undefined) return Number.POSITIVE_INFINITY;
  return expiring.expireAfterSeconds * 1_000 - RETENTION_MARGIN_MS;
}

/** Checks every event of a payout against the payout, which is read after it. */
export async function verifyEvents(books: Books): Promise<void> {
  const { find, findings, began } = books;
  const cursor = find<Event>(PHASES.events, { _id: { $lt: began } }, { projection: EVENT_FIELDS })
    .sort({ _id: 1 })
    .batchSize(READ_AT_ONCE);
  for await (const batch of batchesOf(cursor, READ_AT_ONCE)) {
    const ids = new Set(batch.map(({ transactionId }) => transactionId));
    const wanted: mongo.Filter<Payout> = { _id: { $in: [...ids] } };
    const payouts = new Map<string, Payout>();
    for await (const payout of find<Payout>(PHASES.payouts, wanted, {
      projection: PAYOUT_FIELDS,
    })) {
      payouts.set(payout._id, payout);
    }
    for (const event of batch) {
      for (const problem of problemsOf(event, payouts.get(event.transactionId))) {
        findings.violation("events", `event ${event._id} of ${event.transactionId} ${problem}`);
      }
    }
    books.looked("events", batch.length);
  }
}

function problemsOf(event: Event, payout: Payout | undefined): string[] {
  const body = bodyOf(event);
  if (body?.eventType !== event.eventType)
    return [`says ${String(body?.eventType)}, not ${event.eventType}`];
  if (event.eventType !== "WITHDRAWAL") return [];
  if (!payout) return ["tells of no payout"];
  const { _id: id, businessId, entityId, walletId, currency, amountMinor, feesMinor } = payout;
  const state = payout.states?.[event.seq - 1];
  if (!state) return [`tells of state ${event.seq}, which its payout has not entered`];
  const { payload = {} } = body;
  return [
    differs("id", event._id, idAfter(id, event.seq)),
    differs("business", event.businessId, businessId),
    differs("time", Number(event.at), state.at),
    differs("status", body.status, state.status),
    differs("transactionId", payload.transactionId, id),
    differs("walletId", payload.walletId, walletId),
    differs("entityId", payload.entityId, entityId),
    differs("amount", payload.amount, amountMinor / 100),
    differs("currency", payload.currency, currency),
    differs("feeCharged", payload.feeCharged, decimalOf(feesMinor)),
    differs("timestamp", payload.timestamp, state.at),
  ].filter((problem) => problem !== null);
}

/** What was tampered with may be no amount. */
function decimalOf(minor: number): string {
  return Number.isSafeInteger(minor) ? toDecimal(minor) : String(minor);
}

function differs(what: string, says: unknown, should: unknown): string | null {
  return says === should ? null : `has the ${what} ${String(says)}, its payout ${String(should)}`;
}

interface Body {
  eventType?: unknown;
  status?: unknown;
  payload?: Record<string, unknown>;
}

/** Null for what is no JSON object. */
function bodyOf({ body }: Event): Body | null {
  try {
    return JSON.parse(body) as Body | null;
  } catch {
    return null;
  }
}
