// Reads a file of write.ts back, and proves that it is whole: the counts and sums of both levels
// are those of the payments. It asks nothing of the originator, because files outlive its settings.

import { Unreadable, type WrittenFile } from "../format.ts";
import { piecesOf } from "../pieces.ts";
import { isCurrency, parseMinor, sumMinor } from "./amounts.ts";
import { payoutId } from "./payment-ids.ts";
import { PAYMENTS } from "./write.ts";
import { children, createTreeReader, only, requiredText, type XmlElement } from "./xml-reader.ts";

/** @throws Unreadable if the bytes are no file of `write`, or a sum or a count of it is wrong */
export function read(bytes: Buffer): WrittenFile {
  const reader = createTreeReader(["Document"]);
  for (const piece of piecesOf(bytes)) reader.write(piece);
  const [document, ...others] = reader.end().trees;
  if (document?.namespace !== PAYMENTS || others.length > 0) {
    throw new Unreadable("The file is no pain.001.001.09");
  }
  const { root } = document;
  const initiation = only(root, "CstmrCdtTrfInitn");
  const header = only(initiation, "GrpHdr");
  const block = only(initiation, "PmtInf");
  const id = requiredText(header, "MsgId");
  if (requiredText(block, "PmtInfId") !== id) throw new Unreadable("PmtInfId is not the MsgId");
  const payments = children(block, "CdtTrfTxInf").map(readPayment);
  const [first] = payments;
  if (!first) throw new Unreadable("The file has no payment");
  const { currency } = first;
  if (payments.some((payment) => payment.currency !== currency)) {
    throw new Unreadable("The file has several currencies");
  }
  if (new Set(payments.map((payment) => payment.id)).size < payments.length) {
    throw new Unreadable("The file has a payment twice");
  }
  const amountMinor = sumOf(payments);
  for (const level of [header, block]) requireTotals(level, payments.length, amountMinor);
  return {
    id,
    currency,
    amountMinor,
    payments: payments.map((each) => ({ id: each.id, amountMinor: each.amountMinor })),
  };
}

function readPayment(transfer: XmlElement) {
  const ids = only(transfer, "PmtId");
  const id = payoutId(requiredText(ids, "EndToEndId"));
  if (id === null || payoutId(requiredText(ids, "InstrId")) !== id) {
    throw new Unreadable("A payment has no id of a payout");
  }
  const amount = only(only(transfer, "Amt"), "InstdAmt");
  const currency = amount.attributes.get("Ccy");
  if (!isCurrency(currency)) throw new Unreadable(`Payment ${id} has no currency of payrail`);
  return { id, currency, amountMinor: readMinor(amount.text) };
}

function readMinor(text: string): number {
  const amountMinor = parseMinor(text);
  if (amountMinor === null) throw new Unreadable("An amount of the file is no sum of money");
  return amountMinor;
}

function sumOf(payments: { amountMinor: number }[]): number {
  try {
    return sumMinor(payments.map((payment) => payment.amountMinor));
  } catch {
    throw new Unreadable("The sum of the payments is too large");
  }
}

function requireTotals(level: XmlElement, count: number, amountMinor: number): void {
  if (requiredText(level, "NbOfTxs") !== String(count)) {
    throw new Unreadable(`NbOfTxs of ${level.name} is not the number of payments`);
  }
  if (readMinor(requiredText(level, "CtrlSum")) !== amountMinor) {
    throw new Unreadable(`CtrlSum of ${level.name} is not the sum of the payments`);
  }
}
