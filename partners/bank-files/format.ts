// A format of bank files: how payments are written for a bank, and how its answers are read. A
// format is pure: the same batch gives the same bytes. It knows nothing of clocks, databases and
// places.

import type { Currency, OptionType } from "../types.ts";

export interface FilePayment {
  /** The payout's id, a UUID. */
  id: string;
  amountMinor: number;
  currency: Currency;
  /** The payer's reason or reference; any text. */
  reference: string;
  optionType: OptionType;
  /** The destination's data, as `instrument()` opens it. */
  account: Record<string, string>;
}

export interface Batch {
  /** The batch's number at its rail, from 1. */
  number: number;
  /** Of 1 to 20 capitals, digits and hyphens. The file's message id, which no other file has. */
  id: string;
  /** The moment at which the batch was closed; epoch milliseconds. */
  closedAt: number;
  /** The banking day on which the payments are to be made, as YYYY-MM-DD. */
  settlesOn: string;
  /** How many payments the batches before this one have, so that each payment has a number. */
  paymentsBefore: number;
  /** At least one. */
  payments: FilePayment[];
}

/** What a file of our own says, read back from its bytes. */
export interface WrittenFile {
  /** The batch's. */
  id: string;
  currency: Currency;
  /** The sum that the file's control records state, in minor units. */
  amountMinor: number;
  payments: { id: string; amountMinor: number }[];
}

/**
 * The statement of an answer about one payment, which may be another sender's: the books say
 * whether it is ours.
 */
export interface Told {
  /** The payout's id, or the short form of it that the format writes: `shortId` of the format. */
  payment: string;
  /** The payment's amount in the answer, in minor units; absent if the answer has none. */
  amountMinor?: number;
  currency?: Currency;
  /**
   * `rejected`: refused with a definite code of the standard; `unclear`: the answer does not show
   * the outcome, and `problem` says why; `noted`: the state stays, and `notice` is the bank's
   * correction of the account.
   */
  state: "accepted" | "settled" | "rejected" | "returned" | "unclear" | "noted";
  /** The rail's code for a rejection or a return: one of payrail's reasons, or the bank's code. */
  code?: string;
  /** Whether the bank has booked it on the account, and does not only report it. */
  isBooked?: true;
  /** The bank's own reference of the booked entry: the same entry told again has the same one. */
  reference?: string;
  /** For the merchant, at most 200 characters, without any account number. */
  notice?: string;
  /** Why a person has to look at it, for operators, without any account number. */
  problem?: string;
  /** The fault of the statement and its place. If the payment is ours, its part changes nothing. */
  fault?: string;
}

/** A batch that the bank has booked as one sum, without naming its payments. */
export interface BookedBatch {
  /**
   * The batch's id. It may be the id of another sender's batch, which is none of payrail's: the
   * answers about an account tell of all its traffic.
   */
  batch: string;
  /** The booked sum in minor units. All payments of the batch are settled only if it is theirs. */
  amountMinor: number;
  currency: Currency;
  /** How many payments the sum has, if the bank says so. */
  payments?: number;
  /** As in `Told`. */
  reference?: string;
  fault?: string;
}

/**
 * A part of an answer file: a batch of a return file, an entry of a notification, a status report
 * about one file. What it says about our payments is applied as a whole or not at all; what it says
 * about others' is passed over.
 */
export interface Part {
  /** Its place in the file, for operators, such as `record 7`. */
  where: string;
  /** The id of the batch that the part is about as a whole; absent if it names payments alone. */
  batch?: string;
  /** What happened to all payments of `batch` that `told` does not name. As in `Told`. */
  whole?: Pick<Told, "code" | "problem"> & {
    state: "accepted" | "settled" | "rejected" | "unclear" | "noted";
  };
  /**
   * The number of payments of `batch` and their sum in minor units, if the bank states them. If
   * our batch has another number or sum, the part is wrong.
   */
  stated?: { payments?: number; amountMinor?: number };
  told: Told[];
  /** Batches that the bank has booked as one sum each. */
  booked?: BookedBatch[];
  /** What is wrong with the part. If it names a payment or a batch of ours, it changes nothing. */
  fault?: string;
}

/** What an answer file of a bank says. Every count, hash and sum that the file states is right. */
export interface AnswerFile {
  /** The parts that may be about this rail. */
  parts: Part[];
  /**
   * How many entries cannot be about this rail, because they bear no id of the form of ours, or
   * have moved no money yet.
   */
  passedOver: number;
}

/** Why bytes are no answer of the promised form. The message says where, with no account number. */
export class Unreadable extends Error {
  override name = "Unreadable";
}

/** Reads one answer file, which comes in pieces of any size. */
export interface AnswerParser {
  /** @throws Unreadable if no answer goes on in this way; the parser then takes no more */
  write(piece: Buffer): void;
  /** @throws Unreadable if the pieces are no whole answer, with right sums and counts */
  end(): AnswerFile;
}

export interface Format {
  /** The program of the reading thread, and the agreement from which it makes the format. */
  thread: { program: URL; agreement: unknown };
  /** The ending of the names of its files, such as `ach`. */
  extension: string;
  /**
   * Why the payment cannot be written, as a code of a rejection; null if it can.
   */
  findFault(payment: FilePayment): string | null;
  /** The form of the payout's id by which answers name the payment. */
  shortId(id: string): string;
  write(batch: Batch): Buffer;
  /** @throws Unreadable if the bytes are no file of `write`, whole and unchanged in its sums */
  read(bytes: Buffer): WrittenFile;
  answerParser(): AnswerParser;
}
