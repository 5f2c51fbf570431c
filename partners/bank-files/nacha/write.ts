// Writes a batch as an ACH file: one batch of PPD credits, each with one addenda. The same batch
// gives the same bytes. A file never states more or less than the sum of its payments: a batch that
// does not fit is an error, and nothing is written.

import { DateTime } from "luxon";
import type { Batch, FilePayment } from "../format.ts";
import {
  BATCH_ID,
  idIn,
  informationOf,
  MAX_PAYMENTS,
  sequenceNumber,
  shortId,
} from "./identification.ts";
import type { AchOriginator } from "./originator.ts";
import { findFault, recipientName, TRANSACTION_CODES } from "./payment.ts";
import {
  BATCH_CONTROL,
  BATCH_HEADER,
  BLOCKING_FACTOR,
  CREDITS,
  ENTRY,
  FILE_CONTROL,
  FILE_HEADER,
  FILLER,
  formRecord,
  PAYMENT_ADDENDA,
  PPD,
} from "./record.ts";
import { addSums, type ControlTotals, sumsOfEntry } from "./sums.ts";

/** Twelve digits: $9,999,999,999.99. */
const MAX_TOTAL_MINOR = 10 ** 12 - 1;

/**
 * An ACH operator rejects a file with the origin, date, time and modifier of an earlier one (Rules,
 * Appendix Two, 2.3), so 36 consecutive batches have different modifiers.
 */
const FILE_ID_MODIFIERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

const LINE_ENDS = { LF: "\n", CRLF: "\r\n" };
const BATCH_NUMBER = 1;

/** @throws Error if the batch does not fit into a file; the message has no account numbers */
export function writeFile(batch: Batch, originator: AchOriginator): Buffer {
  requireFitting(batch);
  const sums = addSums(
    batch.payments.map((payment) =>
      sumsOfEntry({ ...codesOf(payment), ...payment, addendaCount: 1 }),
    ),
  );
  if (sums.creditMinor > MAX_TOTAL_MINOR) throw new Error("the batch's total has over 12 digits");
  const entries = batch.payments.flatMap((payment, index) =>
    entryRecords(payment, originator, sequenceNumber(batch.paymentsBefore, index)),
  );
  const records = [
    fileHeader(batch, originator),
    batchHeader(batch, originator),
    ...entries,
    batchControl(sums, originator),
  ];
  const blockCount = Math.ceil((records.length + 1) / BLOCKING_FACTOR);
  records.push(fileControl(sums, blockCount));
  while (records.length % BLOCKING_FACTOR !== 0) records.push(FILLER);
  const lineEnd = LINE_ENDS[originator.lineEnd];
  return Buffer.from(records.map((record) => record + lineEnd).join(""), "latin1");
}

function requireFitting(batch: Batch): void {
  const { id, payments, paymentsBefore } = batch;
  if (!BATCH_ID.test(id)) {
    throw new Error("the batch's id is not 1 to 20 capitals, digits and hyphens");
  }
  if (payments.length < 1 || payments.length > MAX_PAYMENTS) {
    throw new Error(`the batch has ${payments.length} payments, not 1 to ${MAX_PAYMENTS}`);
  }
  if (!Number.isSafeInteger(batch.number) || batch.number < 1) {
    throw new Error("the batch's number is not a count from 1");
  }
  if (!Number.isSafeInteger(paymentsBefore) || paymentsBefore < 0) {
    throw new Error("the batch's number of earlier payments is not a count");
  }
  if (!/^\d{4}-\d\d-\d\d$/.test(batch.settlesOn)) {
    throw new Error("the day on which the batch settles is not of the form YYYY-MM-DD");
  }
  for (const payment of payments) {
    const fault = findFault(payment);
    if (fault !== null) throw new Error(`the payment ${payment.id} cannot be written: ${fault}`);
    if (idIn(informationOf(payment.id, "")) === null) {
      throw new Error(`the payment's id ${payment.id} is not a UUID in lower case`);
    }
  }
  // Answers name a payment by its short id alone.
  if (new Set(payments.map((payment) => shortId(payment.id))).size < payments.length) {
    throw new Error("the batch has two payments of the same id or short id");
  }
}

function fileHeader(batch: Batch, originator: AchOriginator): string {
  const closed = DateTime.fromMillis(batch.closedAt, {
    zone: originator.timeZone,
    locale: "en-US",
  });
  const modifier = (batch.number - 1) % FILE_ID_MODIFIERS.length;
  return formRecord(FILE_HEADER, {
    recordType: "1",
    priorityCode: "01",
    immediateDestination: originator.immediateDestination.padStart(10),
    immediateOrigin: originator.immediateOrigin.padStart(10),
    creationDate: closed.toFormat("yyMMdd"),
    creationTime: closed.toFormat("HHmm"),
    fileIdModifier: FILE_ID_MODIFIERS.charAt(modifier),
    recordSize: "094",
    blockingFactor: BLOCKING_FACTOR,
    formatCode: "1",
    destinationName: originator.destinationName,
    originName: originator.originName,
  });
}

function batchHeader(batch: Batch, originator: AchOriginator): string {
  return formRecord(BATCH_HEADER, {
    recordType: "5",
    serviceClass: CREDITS,
    companyName: originator.companyName,
    // The field is free for codes of the originator, and a return repeats it.
    companyDiscretionaryData: batch.id,
    companyId: originator.companyId,
    entryClass: PPD,
    entryDescription: originator.entryDescription,
    effectiveDate: batch.settlesOn.replaceAll("-", "").slice(2),
    // A bank that is bound by the Rules.
    originatorStatus: "1",
    originatingDfi: originator.odfi,
    batchNumber: BATCH_NUMBER,
  });
}

function entryRecords(payment: FilePayment, { odfi }: AchOriginator, sequence: number): string[] {
  const { accountNumber = "", routingNumber = "" } = payment.account;
  const entry = formRecord(ENTRY, {
    recordType: "6",
    ...codesOf(payment),
    checkDigit: routingNumber.slice(8),
    accountNumber,
    amount: payment.amountMinor,
    individualId: shortId(payment.id),
    individualName: recipientName(payment.account),
    addendaIndicator: "1",
    traceNumber: `${odfi}${`${sequence}`.padStart(7, "0")}`,
  });
  const addenda = formRecord(PAYMENT_ADDENDA, {
    recordType: "7",
    addendaType: "05",
    information: informationOf(payment.id, payment.reference),
    addendaNumber: 1,
    entryNumber: sequence,
  });
  return [entry, addenda];
}

function codesOf({ account }: FilePayment) {
  const { accountType = "", routingNumber = "" } = account;
  return {
    transactionCode: TRANSACTION_CODES[accountType] ?? "",
    receivingDfi: routingNumber.slice(0, 8),
  };
}

function batchControl(sums: ControlTotals, originator: AchOriginator): string {
  return formRecord(BATCH_CONTROL, {
    recordType: "8",
    serviceClass: CREDITS,
    ...sumFields(sums),
    companyId: originator.companyId,
    originatingDfi: originator.odfi,
    batchNumber: BATCH_NUMBER,
  });
}

function fileControl(sums: ControlTotals, blockCount: number): string {
  return formRecord(FILE_CONTROL, {
    recordType: "9",
    batchCount: 1,
    blockCount,
    ...sumFields(sums),
  });
}

function sumFields({ count, hash, debitMinor, creditMinor }: ControlTotals) {
  return { count, hash, debits: debitMinor, credits: creditMinor };
}
