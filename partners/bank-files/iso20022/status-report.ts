// Reads pain.002, CustomerPaymentStatusReport, as the answer to one batch. A status stands at three
// levels: the file, the file's only payment block, the payment. The innermost one decides, and a
// final one is contradicted by no inner one. A report that contradicts itself is not read at all,
// because half of it would return money that the bank has paid.

import { type Currency, DUPLICATE } from "../../types.ts";
import { type Answer, type Told, Unreadable } from "../format.ts";
import { isCurrency, parseCount, parseMinor } from "./amounts.ts";
import { payoutId } from "./payment-ids.ts";
import { CANCELLED_BY_BANK, reasonCode } from "./reason-codes.ts";
import { children, only, optional, requiredText, textAt, type XmlElement } from "./xml-reader.ts";

/** `part`: the payments have several statuses. `duplicate`: the bank has had this before. */
interface Status {
  state: "accepted" | "settled" | "rejected" | "part" | "duplicate";
  code?: string;
}

/**
 * ISO 20022 External Code Sets, ExternalPaymentGroupStatus1Code and
 * ExternalPaymentTransactionStatus1Code, as far as credit transfers have them. ACSC, settled on the
 * debtor's account, ends a wire: it comes back only as a return.
 */
const STATES: Record<string, Status["state"]> = {
  ...every("accepted", ["RCVD", "PATC", "ACTC", "ACCP", "ACFC", "ACFW", "ACSP", "ACWC", "ACPD"]),
  ...every("accepted", ["ACWP", "BLCK", "PDNG", "RCVC", "RVCM", "RVMC", "RVNA", "RVNC", "RVNM"]),
  ...every("settled", ["ACSC", "ACCC"]),
  ...every("rejected", ["RJCT", "CANC"]),
  PART: "part",
};

function every(state: Status["state"], codes: string[]): Record<string, Status["state"]> {
  return Object.fromEntries(codes.map((code) => [code, state]));
}

/**
 * @param root the document's element
 * @throws Unreadable if it is no report about a file of payments, or contradicts itself
 */
export function readStatusReport(root: XmlElement): Answer {
  const report = only(root, "CstmrPmtStsRpt");
  const group = only(report, "OrgnlGrpInfAndSts");
  const block = optional(report, "OrgnlPmtInfAndSts");
  if (!requiredText(group, "OrgnlMsgNmId").startsWith("pain.001")) {
    throw new Unreadable("The report is not about a file of payments");
  }
  const batch = requiredText(group, "OrgnlMsgId");
  if (block) requireBlockOf(batch, block);
  const whole = narrowed(status(group, "GrpSts"), block && status(block, "PmtInfSts"), "PmtInfSts");
  const transfers = block ? children(block, "TxInfAndSts") : [];
  const told = withoutRepeats(transfers.map((transfer) => readTransfer(transfer, whole)));
  for (const level of block ? [group, block] : [group]) requireCounts(level, transfers);
  if (told.length === 0 && (whole === undefined || whole.state === "part")) {
    throw new Unreadable("The report has no status");
  }
  const stated = readStated(block ? [group, block] : [group]);
  if (stated?.payments !== undefined && stated.payments < told.length) {
    throw new Unreadable("OrgnlNbOfTxs is less than the number of payments");
  }
  if (whole === undefined || whole.state === "part") return { batch, stated, told };
  const { state, code } = whole;
  // A second copy was refused: the first one pays, so no payment may end here.
  if (state === "duplicate") return { batch, stated, whole: { state }, told: [] };
  return { batch, stated, whole: { state, code }, told };
}

/** A file of ours has one block, whose id is the file's. */
function requireBlockOf(batch: string, block: XmlElement): void {
  const id = requiredText(block, "OrgnlPmtInfId");
  if (id !== batch && id !== "NOTPROVIDED") {
    throw new Unreadable("OrgnlPmtInfId is not the OrgnlMsgId");
  }
}

function status(level: XmlElement, name: string): Status | undefined {
  const text = textAt(level, name);
  if (text === undefined) return undefined;
  const state = Object.hasOwn(STATES, text) ? STATES[text] : undefined;
  if (state === undefined) throw new Unreadable(`${name} of ${level.name} is unknown`);
  if (text === "CANC") return { state, code: CANCELLED_BY_BANK };
  if (state !== "rejected") return { state };
  const reasons = children(level, "StsRsnInf");
  const codes = reasons.map((reason) => reasonCode(textAt(reason, "Rsn", "Cd")));
  if (codes.includes(DUPLICATE) || reasons.some(saysDuplicate)) {
    return { state: "duplicate", code: DUPLICATE };
  }
  return { state, code: codes[0] ?? reasonCode(undefined) };
}

/**
 * Some banks give a duplicate as a narrative reason. Taken for a rejection, it would return the money
 * of payments that the first copy of the file makes.
 */
function saysDuplicate(reason: XmlElement): boolean {
  const words = children(reason, "AddtlInf").map(({ text }) => text);
  return words.some((text) => /dupli|already|doppel/i.test(text));
}

/** The status of the inner level, seen with the outer one. */
function narrowed(outer: Status | undefined, inner: Status | undefined, name: string) {
  if (inner === undefined) return outer;
  if (outer === undefined || outer.state === "accepted" || outer.state === "part") return inner;
  const isRefusal = ({ state }: Status) => state === "rejected" || state === "duplicate";
  if (outer.state === "duplicate" && isRefusal(inner)) return outer;
  if (inner.state === outer.state || (isRefusal(inner) && isRefusal(outer))) return inner;
  throw new Unreadable(`${name} contradicts the status of the whole`);
}

function readTransfer(transfer: XmlElement, whole: Status | undefined): Told {
  const payment = readPayoutId(transfer);
  const told = narrowed(whole, status(transfer, "TxSts"), "TxSts");
  if (told === undefined || told.state === "part") {
    throw new Unreadable(`Payment ${payment} has no status`);
  }
  const { state, code } = told;
  const amount = readAmount(transfer);
  return { payment, ...amount, state: state === "duplicate" ? "rejected" : state, code };
}

function readPayoutId(transfer: XmlElement): string {
  const ids = ["OrgnlEndToEndId", "OrgnlInstrId"].flatMap((name) => textAt(transfer, name) ?? []);
  const [first, ...others] = ids.filter((id) => id !== "NOTPROVIDED").map(payoutId);
  if (!first || others.some((id) => id !== first)) {
    throw new Unreadable("A payment has no id of a payout");
  }
  return first;
}

function readAmount(transfer: XmlElement): { amountMinor?: number; currency?: Currency } {
  const original = optional(transfer, "OrgnlTxRef");
  const amounts = original && optional(original, "Amt");
  const amount = amounts && optional(amounts, "InstdAmt");
  if (!amount) return {};
  const amountMinor = parseMinor(amount.text);
  const currency = amount.attributes.get("Ccy");
  if (amountMinor === null || !isCurrency(currency)) {
    throw new Unreadable("The InstdAmt of a payment is wrong");
  }
  return { amountMinor, currency };
}

/** A payment may be told twice only in the same words. */
function withoutRepeats(statuses: Told[]): Told[] {
  const told = new Map<string, Told>();
  for (const each of statuses) {
    const before = told.get(each.payment);
    if (before && JSON.stringify(before) !== JSON.stringify(each)) {
      throw new Unreadable(`Payment ${each.payment} has two different statuses`);
    }
    told.set(each.payment, each);
  }
  return [...told.values()];
}

/** A bank lists the payments of a status all or not at all; otherwise the report is not whole. */
function requireCounts(level: XmlElement, transfers: XmlElement[]): void {
  for (const line of children(level, "NbOfTxsPerSts")) {
    const name = requiredText(line, "DtldSts");
    const listed = transfers.filter((transfer) => textAt(transfer, "TxSts") === name).length;
    if (listed > 0 && parseCount(requiredText(line, "DtldNbOfTxs")) !== listed) {
      throw new Unreadable(`DtldNbOfTxs of ${level.name} is not the number of payments`);
    }
  }
}

function readStated(levels: XmlElement[]): Answer["stated"] {
  const payments = oneOf(levels, "OrgnlNbOfTxs", parseCount);
  const amountMinor = oneOf(levels, "OrgnlCtrlSum", parseMinor);
  if (payments === undefined && amountMinor === undefined) return undefined;
  return { payments, amountMinor };
}

/** What the levels say under a name: a file of ours has one block, so all must say the same. */
function oneOf(
  levels: XmlElement[],
  name: string,
  parse: (text: string) => number | null,
): number | undefined {
  const values = levels.flatMap((level) => textAt(level, name) ?? []).map(parse);
  const [first, ...others] = values;
  if (first === null || others.some((value) => value !== first)) {
    throw new Unreadable(`${name} is wrong`);
  }
  return first;
}
