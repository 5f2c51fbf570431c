// Reads the answers of a bank: returns of our entries, and notifications of change. A bank sends
// one file for all companies and applications of a customer, so each batch is a part of its own,
// and an entry that does not have an id of our form is passed over. A file without entries is an
// answer that tells nothing; some banks send one on every day.
//
// Every return is `returned`, also one by the ACH operator before the entry settles: the return
// gives the money back by an entry of its own, and `returned` is true whether or not payrail takes
// the payment as settled already.

import type { AnswerParser, Part, Told } from "../format.ts";
import { CHANGE_CODES, isChangeCode, noticeOf } from "./change-codes.ts";
import { isShortId } from "./identification.ts";
import type { AchOriginator } from "./originator.ts";
import { type BatchHeader, createFileParser, type ParsedEntry } from "./parse.ts";
import { CHANGE_ADDENDA, fieldsOf, PPD, RETURN_ADDENDA } from "./record.ts";
import { isReturnCode, RETURN_CODES, reasonOf } from "./return-codes.ts";

/** The class of batches with notifications of change. */
const COR = "COR";
/** Returns and notifications of change for credits to checking (22) and savings (32). */
const ANSWER_CODES = ["21", "31"];

/** Its errors name the record. */
export function createAnswerParser(originator: AchOriginator): AnswerParser {
  let passedOver = 0;
  const parser = createFileParser<Told>({
    isKnown: (header) => !foreignBatch(header, originator),
    make(entry, header) {
      const payment = entry.fields.individualId.toUpperCase();
      if (isShortId(payment)) return [toldBy(payment, entry, header, originator)];
      passedOver += 1;
      return [];
    },
  });
  return {
    write: parser.write,
    end() {
      const parts = parser.end().batches.map(({ at, items }): Part => {
        return { where: `the batch of record ${at}`, told: items };
      });
      return { parts, passedOver };
    },
  };
}

/** Why no payout is in the batch; undefined if some can be. */
function foreignBatch(header: BatchHeader, { companyId }: AchOriginator): string | undefined {
  const company = header.companyId.trim().toUpperCase();
  if (company && company !== companyId) return "is in a batch of another company";
  const entryClass = header.entryClass.toUpperCase();
  return entryClass === PPD || entryClass === COR
    ? undefined
    : "is in a batch that is no answer to payouts";
}

function toldBy(
  payment: string,
  entry: ParsedEntry,
  header: BatchHeader,
  originator: AchOriginator,
): Told {
  const isChange = header.entryClass.toUpperCase() === COR;
  const fault = foreignBatch(header, originator) ?? faultOf(entry, isChange);
  if (fault) return { payment, state: "unclear", fault: `record ${entry.at} ${fault}` };
  const [record = ""] = entry.addenda;
  if (isChange) {
    const { changeCode, correctedData } = fieldsOf(CHANGE_ADDENDA, record);
    return { payment, state: "noted", notice: noticeOf(changeCode.toUpperCase(), correctedData) };
  }
  const { reasonCode } = fieldsOf(RETURN_ADDENDA, record);
  return {
    payment,
    amountMinor: entry.amountMinor,
    currency: "USD",
    state: "returned",
    code: reasonOf(reasonCode.toUpperCase()),
    isBooked: true,
    // The trace of the return itself: the same return has it in every file.
    reference: entry.fields.traceNumber,
  };
}

/** Why the entry is neither a return nor a notification of change. */
function faultOf({ fields, amountMinor, addenda }: ParsedEntry, isChange: boolean) {
  if (!ANSWER_CODES.includes(fields.transactionCode)) return "is no answer to a credit";
  const [record, ...others] = addenda;
  if (record === undefined || others.length > 0) return "does not have one addenda";
  const type = isChange ? "98" : "99";
  const { addendaType, reasonCode, originalTrace, traceNumber } = fieldsOf(RETURN_ADDENDA, record);
  const code = reasonCode.toUpperCase();
  if (addendaType !== type) return `has no addenda of type ${type}`;
  if (traceNumber !== fields.traceNumber) return "has the addenda of another entry";
  if (!/^\d{15}$/.test(originalTrace)) return "has no trace of the entry that it answers";
  if (isChange && !isChangeCode(code)) return `has no code of a change (${CHANGE_CODES})`;
  if (!isChange && !isReturnCode(code)) return `has no code of a return (${RETURN_CODES})`;
  if (isChange && amountMinor !== 0) return "notifies of a change with an amount";
  return !isChange && amountMinor < 1 ? "returns nothing" : undefined;
}
