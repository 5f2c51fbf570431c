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

/** What an answer says about one payment. */
export interface Told {
  /** The payout's id, or the short form of it that the format writes: `shortId` of the format. */
  payment: string;
  /** The payment's amount in the answer, in minor units; absent if the answer has none. */
  amountMinor?: number;
  currency?: Currency;
  /** `noted`: the state stays, and `notice` says what the bank knows about the account. */
  state: "accepted" | "settled" | "rejected" | "returned" | "noted";
  /** The rail's code for a rejection or a return: one of payrail's reasons, or the bank's code. */
  code?: string;
  /** For the merchant, at most 200 characters, without any account number. */
  notice?: string;
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
}

/** What an answer file of a bank says. */
export interface Answer {
  /** The id of the batch that the answer is about as a whole; absent if it names payments alone. */
  batch?: string;
  /**
   * What happened to all payments of `batch` that `told` does not name. A batch that the bank
   * refuses because it has it already is `duplicate`, which decides nothing.
   */
  whole?: { state: "accepted" | "settled" | "rejected" | "duplicate"; code?: string };
  /**
   * What `batch` has in the bank's eyes, as far as the bank says it: how many payments, and their sum
   * in minor units. If the batch has others, the answer is wrong as a whole.
   */
  stated?: { payments?: number; amountMinor?: number };
  /** Batches that the bank has booked as one sum each. */
  booked?: BookedBatch[];
  told: Told[];
}

/** Why bytes are no answer of the promised form. The message says where, without any number of an account. */
export class Unreadable extends Error {
  override name = "Unreadable";
}

export interface Format {
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
  /** @throws Unreadable if the bytes are no whole answer, with right sums and counts */
  readAnswer(bytes: Buffer): Answer;
}
