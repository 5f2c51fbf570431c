// The sandbox acquirer: a bank with books of its own, for development and tests. The first write of
// an id into the books decides its outcome: a charge, or a void that blocks every later charge. So
// every replica answers the same, also after a kill. Charges are counted. The last four digits
// decide:
//
//   0002 declined    9995 insufficient funds    0069 expired    0341 declined at each try
//   0119 is charged, and the first charge is never answered: a void or a repeated charge finds it
//   5126 is charged, and refuses refunds
//
// Any other card is charged until it expires.

import type {
  Acquirer,
  AcquirerEntry,
  Captured,
  Charge,
  Context,
  Currency,
  Declined,
  Voided,
} from "../types.ts";
import { inBatches } from "./batches.ts";
import { insertNew, readAll } from "./books.ts";
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

const DECLINED: Record<string, string> = {
  "0002": "card_declined",
  "9995": "insufficient_funds",
  "0069": "expired_card",
  "0341": "card_declined",
};
const SILENT_AT_FIRST = "0119";
const REFUSES_REFUNDS = "5126";

/** Makes the acquirer. It opens nothing: all its books are in the context's database. */
export default function sandboxAcquirer({ database, now }: Context): Acquirer {
  const books = database.collection<SandboxCharge>("sandbox_charges");
  const vault = openVault(database.collection<SandboxCard>("sandbox_cards"), now);

  const entered = inBatches<SandboxCharge, SandboxCharge>(async (charges) => {
    // A charge whose id is in the batch twice is known too: the first one of them was inserted.
    const known = (await insertNew(books, charges)).map((i) => (charges[i] as SandboxCharge)._id);
    if (known.length === 0) return [...charges];
    const writes = known.map((_id) => ({
      updateOne: { filter: { _id }, update: { $inc: { charges: 1 } } },
    }));
    await books.bulkWrite(writes, { ordered: false });
    const entries = await readAll(books, known);
    return charges.map((charge) => entries.get(charge._id) ?? charge);
  });

  return {
    name: "sandbox",
    test: true,

    async tokenInfo(token) {
      const card = await vault.card(token);
      return card && { brand: card.brand, last4: card.last4 };
    },

    async charge(charge) {
      const card = await vault.cardToCharge(charge.token);
      const entry = await entered(toRecord(charge, card, now()));
      const isFirst = entry.charges === 1 && !entry.voided;
      if (entry.last4 === SILENT_AT_FIRST && isFirst) return new Promise(() => {});
      const answer = answerFor(entry);
      return answer.kind === "voided" ? { kind: "declined", code: "voided" } : answer;
    },

    async void(id) {
      const isNew = { charges: 0, voided: true as const, refunds: [] };
      await books.updateOne({ _id: id }, { $setOnInsert: isNew }, { upsert: true });
      const entry = await books.findOne({ _id: id });
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
        { $push: { refunds: { id, amountMinor, at: now() } } },
      );
      await books.updateOne({ _id: chargeId, ...isNew }, { $push: { refused: id } });
      const entry = await books.findOne({ _id: chargeId });
      const made = entry?.refunds.find((refund) => refund.id === id);
      if (!entry || !made) return { kind: "refused", code: "refund_refused" };
      return { kind: "refunded", amountMinor: made.amountMinor, currency: sumOf(entry).currency };
    },

    async *list(since) {
      const isSince = { $or: [{ at: { $gte: since } }, { "refunds.at": { $gte: since } }] };
      for await (const charge of books.find(isSince)) {
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
  const declined = amountMinor > 0 ? declineOf(card, now) : "invalid_amount";
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

/** The code with which the card's bank declines it; null if it does not. */
function declineOf(card: ChargedCard | null, now: number): string | null {
  if (!card) return "unknown";
  return DECLINED[card.last4] ?? (card.expiresAt <= now ? "expired_card" : null);
}

/** The answer by the first write of the id, also if it is asked for another sum now. */
function answerFor(entry: SandboxCharge): Captured | Declined | Voided {
  const { voided, declined } = entry;
  if (voided) return { kind: "voided" };
  if (declined !== undefined) return { kind: "declined", code: declined };
  return { kind: "captured", ...sumOf(entry) };
}

/** The sum of a charge, which only an entry of a void does not have. */
function sumOf({ amountMinor, currency }: SandboxCharge): Pick<Charge, "amountMinor" | "currency"> {
  return { amountMinor: amountMinor as number, currency: currency as Currency };
}

function toListEntries(charge: SandboxCharge): AcquirerEntry[] {
  const { _id, at, declined, refunds } = charge;
  const { currency } = sumOf(charge);
  const made = { id: _id, kind: "charge" as const, ...sumOf(charge), at: at as number };
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
