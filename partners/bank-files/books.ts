// The rail's books: its payments, batches and read answers, in the database that payrail gives to
// modules. Invariants:
//   - The first write of a payment's id wins. A payment leaves `waiting` once: it is cancelled, or
//     a batch takes it, and its batch never changes.
//   - A batch is closed in one transaction with the payments that it takes (closing.ts).
//   - An answer is applied in one transaction with the record that it was read (answers.ts).
//   - A batch with a payment that has ended is never put again (hand-over.ts, desk.ts).

import type { mongo } from "mongoose";
import type { Currency, RailPayment } from "../types.ts";
import type { Part } from "./format.ts";

export type PaymentState =
  | "waiting"
  | "cancelled"
  | "batched"
  | "settled"
  | "rejected"
  | "returned";

export interface PaymentRecord {
  /** The payout's id. */
  _id: string;
  /** The form of the id by which answers name the payment. */
  shortId: string;
  state: PaymentState;
  /** When the payment or its cancel came; epoch ms. */
  at: number;
  /** Missing for an id that was cancelled before it came. */
  amountMinor?: number;
  currency?: Currency;
  /** The payment and its account, encrypted, until its file is handed over. */
  sealed?: string;
  /** The id of its batch. */
  batch?: string;
  /** Of a rejection or a return. */
  code?: string;
  notice?: string;
  /**
   * The bank's bookings of it: a reference of the bank for each debit and for each return, "" for a
   * booking without one. Missing before the first one, and in books of older versions.
   */
  debits?: string[];
  returns?: string[];
  /**
   * The bank's report or the calendar, if it was settled by one of them: then a refusal of the bank
   * takes the settlement back. Missing for a booking and for an operator's decision. Books of older
   * versions lack it for every settlement, and then only a booking takes it back.
   */
  settledBy?: "report" | "calendar";
  /** Why a person has to look at it, in a sentence for operators. */
  problem?: string;
  /** The end that an operator has decided. */
  decided?: PaymentEnd;
}

/** How a payment can end at the bank. */
export type PaymentEnd = "settled" | "rejected" | "returned";

/** What `sealed` holds, as JSON. */
export type SealedFields = Pick<RailPayment, "optionType" | "reference"> & {
  account: Record<string, string>;
};

export interface BatchRecord {
  /** The message id of its file, and the beginning of the file's name. */
  _id: string;
  /** From 1, unique: two processes cannot both close the next batch. */
  number: number;
  /**
   * closed: the payments are fixed; written: the file is in the archive; handing: the file may be
   * at the bank; handed: the bank has it; held: an operator has to say whether the bank has it.
   */
  state: "closed" | "written" | "handing" | "handed" | "held";
  /** Epoch ms. */
  closedAt: number;
  settlesOn: string;
  paymentsBefore: number;
  count: number;
  amountMinor: number;
  currency: Currency;
  /** When the hand-over began that nobody has seen end; epoch ms. */
  handingAt?: number;
  /**
   * How often its file may have come to the bank. Missing in books of older versions and after a
   * restore: its count is unknown, so it counts as more than once.
   */
  puts?: number;
  /** Why it is held, beside a hand-over that was interrupted: what the bank says about the file. */
  problem?: string;
  /** Whether a payment of it has ended, so that its file is never put again. */
  hasEnds?: true;
}

/** A part of an answer that is about this rail and changed nothing. */
export interface HeldPart {
  part: Part;
  problem: string;
}

export interface AnswerRecord {
  /** SHA-256 of its bytes, in hexadecimal; of a file that the place does not give, its name. */
  _id: string;
  /** The file's name when it was first read. */
  name: string;
  /** Epoch ms. */
  at: number;
  /** The size of an unreadable file, in bytes. */
  size?: number;
  /** How many statements are about this rail, and how many are not. */
  ours?: number;
  passedOver?: number;
  /** Why the file cannot be read; missing for an applied answer. */
  problem?: string;
  /** The parts that changed nothing. They are tried again until they are applied or seen. */
  held?: HeldPart[];
  /** The ids of the payments and batches that an unreadable file, or a held part, names. */
  names?: string[];
  /** What an operator has to know about an applied answer. */
  warning?: string;
  /** Whether an operator has seen its problems and its warning. */
  isSeen?: boolean;
}

interface Lease {
  _id: "worker";
  holder: string;
  /** Epoch ms. */
  until: number;
}

export interface FileBooks {
  payments: mongo.Collection<PaymentRecord>;
  batches: mongo.Collection<BatchRecord>;
  answers: mongo.Collection<AnswerRecord>;
  leases: mongo.Collection<Lease>;
  /** Makes the indexes. */
  prepare(): Promise<void>;
  /** Runs the work in a transaction; it may run several times. */
  transaction<T>(work: (session: mongo.ClientSession) => Promise<T>): Promise<T>;
}

/** Opens the books of a rail. */
export function openBooks(database: mongo.Db, rail: string): FileBooks {
  const payments = database.collection<PaymentRecord>(`${rail}.payments`);
  const batches = database.collection<BatchRecord>(`${rail}.batches`);
  const answers = database.collection<AnswerRecord>(`${rail}.answers`);
  return {
    payments,
    batches,
    answers,
    leases: database.collection(`${rail}.leases`),
    transaction: (work) =>
      database.client.withSession((session) =>
        session.withTransaction(() => work(session), {
          readConcern: { level: "snapshot" },
          writeConcern: { w: "majority", journal: true },
        }),
      ),
    async prepare() {
      await payments.createIndexes([
        { key: { shortId: 1 }, unique: true },
        // The payments that wait for a cut-off.
        { key: { state: 1, at: 1 }, partialFilterExpression: { state: "waiting" } },
        { key: { batch: 1, _id: 1 } },
        { key: { at: 1 } },
        { key: { problem: 1 }, partialFilterExpression: { problem: { $exists: true } } },
      ]);
      await batches.createIndexes([{ key: { number: 1 }, unique: true }]);
      await answers.createIndexes([{ key: { names: 1 }, sparse: true }]);
    },
  };
}

/** Whether a unique index refused a write: another document has the key. */
export function isTaken(error: unknown): boolean {
  return (error as { code?: unknown }).code === 11_000;
}
