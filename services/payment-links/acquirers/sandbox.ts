// The sandbox acquirer: a bank with books of its own, for development and tests. The first write of
// an id into the books decides its outcome: a charge, or a void that blocks every later charge. So
// every replica answers the same, also after a kill. Charges are counted. The last four digits
// decide:
//
//   0002 declined    9995 insufficient funds    0069 expired    0341 declined, as often as it is tried
//   0119 is charged, and the first charge is never answered: a void or a repeated charge finds it
//   5126 is charged, and refuses refunds
//
// Any other card is charged until it expires.

import type { mongo } from "mongoose";
import { Schema } from "mongoose";
import type {
  Acquirer,
  AcquirerEntry,
  Captured,
  Charge,
  Declined,
  Voided,
} from "../../../partners/types.ts";
import type { Clock } from "../../../shared/clock.ts";
import { runUpdate } from "../../../shared/commands.ts";
import { MAJORITY } from "../../../shared/database.ts";
import { gather } from "../../../shared/gather.ts";
import { insertAll } from "../../../shared/insert-all.ts";
import type { Currency } from "../../../shared/money.ts";
import { SANDBOX } from "../../../shared/partners/load.ts";
import { type ChargedCard, openVault, type SandboxCard } from "./vault.ts";

/** The bank's record of a charge. */
export interface SandboxCharge {
  /** The key of the charge. */
  _id: string;
  /** The number of charge requests that reached the bank. */
  charges: number;
  voided?: true;
  /** The card of the charge, also of a declined one. */
  last4?: string;
  amountMinor?: number;
  currency?: Currency;
  /** When the charge was made or declined; epoch ms. */
  at?: number;
  declined?: string;
  /** The refunds that were made: each id once, in sum never more than the charge. */
  refunds: { id: string; amountMinor: number; at: number }[];
  /** The ids of refunds that were refused, and are never made. */
  refused?: string[];
}

export const sandboxChargeSchema = new Schema<SandboxCharge>(
  { _id: { type: String, required: true } },
  { versionKey: false, strict: false },
);

const DECLINED: Record<string, string> = {
  "0002": "card_declined",
  "9995": "insufficient_funds",
  "0069": "expired_card",
  "0341": "card_declined",
};
const SILENT_AT_FIRST = "0119";
const REFUSES_REFUNDS = "5126";

const BATCH = { maxItems: 500 };

export function sandboxAcquirer(
  cards: mongo.Collection<SandboxCard>,
  books: mongo.Collection<SandboxCharge>,
  clock: Clock,
): Acquirer {
  const vault = openVault(cards, clock);

  const entered = gather<SandboxCharge, SandboxCharge>(async (charges) => {
    const results = await insertAll(books, charges);
    const failed = results.find((result) => result instanceof Error);
    if (failed) throw failed;
    const known = charges.filter((_, i) => results[i] === "taken").map(({ _id }) => _id);
    if (known.length === 0) return charges;
    await runUpdate(
      books,
      known.map((_id) => ({ filter: { _id }, update: { $inc: { charges: 1 } } })),
    );
    const entries = await books.find({ _id: { $in: known } }, MAJORITY).toArray();
    const byId = new Map(entries.map((entry) => [entry._id, entry]));
    return charges.map((charge) => byId.get(charge._id) ?? charge);
  }, BATCH);

  return {
    name: SANDBOX,
    test: true,

    async tokenInfo(token) {
      const card = await vault.card(token);
      return card && { brand: card.brand, last4: card.last4 };
    },

    async charge(charge) {
      const card = await vault.cardToCharge(charge.token);
      const entry = await entered(toRecord(charge, card, clock.now()));
      const isFirst = entry.charges === 1 && !entry.voided;
      if (entry.last4 === SILENT_AT_FIRST && isFirst) return new Promise(() => {});
      const answer = answerFor(entry);
      return answer.kind === "voided" ? { kind: "declined", code: "voided" } : answer;
    },

    async void(id) {
      const isNew = { charges: 0, voided: true as const, refunds: [] };
      await books.updateOne({ _id: id }, { $setOnInsert: isNew }, { upsert: true });
      const entry = await books.findOne({ _id: id }, MAJORITY);
      return entry ? answerFor(entry) : { kind: "unknown" };
    },

    async refund({ id, chargeId, amountMinor, currency }) {
      const isCharged = { _id: chargeId, currency, voided: { $exists: false } };
      const isPossible = { declined: { $exists: false }, last4: { $ne: REFUSES_REFUNDS } };
      const isNew = { "refunds.id": { $ne: id }, refused: { $ne: id } };
      const isLeft = {
        $gte: [{ $subtract: ["$amountMinor", { $sum: "$refunds.amountMinor" }] }, amountMinor],
      };
      await books.updateOne(
        { ...isCharged, ...isPossible, ...isNew, $expr: isLeft },
        { $push: { refunds: { id, amountMinor, at: clock.now() } } },
      );
      await books.updateOne({ _id: chargeId, ...isNew }, { $push: { refused: id } });
      const entry = await books.findOne({ _id: chargeId }, MAJORITY);
      const isRefunded = entry?.refunds.some((refund) => refund.id === id) === true;
      return isRefunded ? { kind: "refunded" } : { kind: "refused", code: "refund_refused" };
    },

    async *list(since) {
      const isSince = { $or: [{ at: { $gte: since } }, { "refunds.at": { $gte: since } }] };
      for await (const charge of books.find(isSince, MAJORITY)) {
        yield* toListEntries(charge).filter(({ at }) => at >= since);
      }
    },
  };
}

function toRecord(
  { id, amountMinor, currency }: Charge,
  card: ChargedCard | null,
  now: number,
): SandboxCharge {
  const isExpired = card !== null && card.expiresAt <= now;
  const declined = card ? (DECLINED[card.last4] ?? (isExpired ? "expired_card" : null)) : "unknown";
  return {
    _id: id,
    charges: 1,
    amountMinor,
    currency,
    at: now,
    refunds: [],
    ...(card && { last4: card.last4 }),
    ...(declined && { declined }),
  };
}

function answerFor({ voided, declined }: SandboxCharge): Captured | Declined | Voided {
  if (voided) return { kind: "voided" };
  return declined === undefined ? { kind: "captured" } : { kind: "declined", code: declined };
}

function toListEntries({ _id, at, declined, refunds, ...charge }: SandboxCharge): AcquirerEntry[] {
  const { amountMinor, currency } = charge as Required<Pick<Charge, "amountMinor" | "currency">>;
  const made = { id: _id, kind: "charge" as const, amountMinor, currency, at: at as number };
  return [
    { ...made, state: declined === undefined ? "done" : "refused" },
    ...refunds.map((refund) => ({
      ...refund,
      kind: "refund" as const,
      state: "done" as const,
      currency,
    })),
  ];
}
