// A bank as a model: it takes files of plain payments, pays what it pays once, and tells of it
// truly, in the ways that banks differ in. What it has done with each payment is known, so a rail
// can be compared with it.

import type { Part, Told } from "../../../partners/bank-files/format.ts";
import type { Random } from "../traffic.ts";
import { plainFormat } from "./plain-format.ts";

/** What the bank has done with a payment, and whether a person has to look at it. */
export interface Fate {
  end: "settled" | "rejected" | "returned";
  /** How often the recipient has the money in the end. */
  net: number;
  isOdd?: boolean;
}

type Word = Pick<Told, "state" | "code" | "problem"> & { state: "rejected" | "unclear" };

const WORDS = ["Doublon", "Datei bereits verarbeitet", "già ricevuto", "Same file", "重複", ""];

export type ModelBank = ReturnType<typeof modelBank>;

/** @param paysRepeats whether it pays a file that it has already */
export function modelBank({ below, oneOf }: Random, paysRepeats: boolean) {
  const chance = (percent: number) => below(100) < percent;
  const isFaultless = chance(40);
  /** Whether it does something that a person has to look at. */
  const slips = (percent: number) => !isFaultless && chance(percent);
  const hasReferences = chance(70);
  const books = `${below(2 ** 30)}`;
  const fates = new Map<string, Fate>();
  const copies = new Map<string, number>();
  let entries = 0;
  let isOdd = false;

  const odd = () => {
    isOdd = true;
    return { isOdd: true };
  };
  const short = plainFormat.shortId;
  const reference = () => (hasReferences ? { reference: `${books}-${++entries}` } : {});
  const booked = (id: string, state: "settled" | "returned", more: Partial<Told> = {}) => ({
    told: [{ payment: short(id), state, isBooked: true as const, ...reference(), ...more }],
  });
  const unclear = (): Word => ({
    ...{ state: "unclear", problem: `The bank refuses it: ${oneOf(WORDS)}` },
  });
  const definite = (code: string): Word => ({ state: "rejected", code });

  /** Refuses a second copy, in whatever words, for the whole file or payment by payment. */
  function refuseCopy(batch: string, ids: string[]): Partial<Part>[] {
    odd();
    const word = chance(50) ? definite("FF01") : unclear();
    if (chance(60)) return [{ batch, whole: word }];
    return [{ batch, told: ids.map((id) => ({ payment: short(id), ...word })) }];
  }

  /** Says before it pays that it has the file, or words without code that sound like a refusal. */
  function hesitate(batch: string, ids: string[]): Partial<Part>[] {
    const doubted = ids.filter(() => slips(15));
    const isDoubted = slips(15);
    if (isDoubted || doubted.length > 0) odd();
    const isAccepted = !isDoubted && chance(45);
    return [
      ...(isAccepted ? [{ batch, whole: { state: "accepted" as const } }] : []),
      ...(isDoubted ? [{ batch, whole: unclear() }] : []),
      ...doubted.map((id) => ({ batch, told: [{ payment: short(id), ...unclear() }] })),
    ];
  }

  function refuseFile(batch: string, ids: string[]): Partial<Part>[] {
    const word = slips(50) ? unclear() : definite("FF03");
    const more = word.state === "unclear" ? odd() : {};
    for (const id of ids) fates.set(id, { end: "rejected", net: 0, ...more });
    return [{ batch, whole: word }];
  }

  /** What it tells about a payment beside its debit. */
  function payOrRefuse(batch: string, id: string, amountMinor: number): Partial<Part>[] {
    const told = (state: Told["state"], more = {}) => [{ payment: short(id), state, ...more }];
    if (chance(15)) {
      const word = slips(50) ? unclear() : definite("AC04");
      fates.set(id, { end: "rejected", net: 0, ...(word.state === "unclear" && odd()) });
      return [{ batch, told: told(word.state, word) }];
    }
    if (chance(15)) {
      fates.set(id, { end: "returned", net: 0 });
      const lackingMinor = slips(50) ? 15 : 0;
      if (lackingMinor > 0) odd();
      return [booked(id, "returned", { amountMinor: amountMinor - lackingMinor, code: "AC04" })];
    }
    if (slips(10)) {
      fates.set(id, { end: "settled", net: 1, ...odd() });
      return [booked(id, "returned", { amountMinor: 1 })];
    }
    if (hasReferences && slips(10)) {
      fates.set(id, { end: "settled", net: 2, ...odd() });
      return [booked(id, "settled")];
    }
    fates.set(id, { end: "settled", net: 1 });
    return chance(20) ? [{ batch, told: told("settled") }] : [];
  }

  return {
    fate: (id: string) => fates.get(id),
    has: (batch: string) => copies.has(batch),
    /** Whether it has done or said something that a person has to look at. */
    isOdd: () => isOdd,
    odd,
    chance,
    slips,
    hasReferences,

    /** Takes a file. @returns what it will tell */
    receive(bytes: Buffer): Partial<Part>[] {
      const { id: batch, payments } = plainFormat.read(bytes);
      const ids = payments.map(({ id }) => id);
      const isCopy = copies.has(batch);
      copies.set(batch, (copies.get(batch) ?? 0) + 1);
      if (isCopy && paysRepeats) throw new Error(`The bank pays ${batch} twice`);
      if (isCopy) return refuseCopy(batch, ids);
      if (chance(12)) return refuseFile(batch, ids);
      const more = payments.flatMap(({ id, amountMinor }) => payOrRefuse(batch, id, amountMinor));
      const paid = payments.filter(({ id }) => fates.get(id)?.end !== "rejected");
      const amountMinor = paid.reduce((sum, each) => sum + each.amountMinor, 0);
      const sum = { batch, amountMinor, currency: "USD" as const, ...reference() };
      const debits: Partial<Part>[] =
        paid.length > 0 && chance(40)
          ? [{ booked: [sum] }]
          : paid.map((each) => booked(each.id, "settled", { amountMinor: each.amountMinor }));
      const paidIds = paid.map(({ id }) => id);
      return [...hesitate(batch, paidIds), ...debits, ...more];
    },

    /** A late check refuses a payment that the bank has paid. @returns what the bank tells of it */
    refuseBooked(id: string): Partial<Part> {
      odd();
      return { told: [{ payment: short(id), ...definite("FF01") }] };
    },
  };
}
