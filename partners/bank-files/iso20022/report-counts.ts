// The counts and sums of a report, as far as the bank states them.

import type { Currency } from "../../types.ts";
import { Unreadable } from "../format.ts";
import { parseCount, parseMinor } from "./amounts.ts";
import type { Level } from "./statuses.ts";
import { children, requiredText, textAt, type XmlElement } from "./xml-reader.ts";

/** A payment as a report lists it. */
export interface ReportedPayment {
  /** Ids of the form of ours; the first one is the recipient's side's. */
  ids: string[];
  /** Whether it has ids, and none of them has the form of ours. */
  isForeign: boolean;
  level: Level;
  amountMinor?: number;
  currency?: Currency;
  fault?: string;
}

/** A payment block, or the report itself if it has none. */
export interface ReportBlock {
  element: XmlElement;
  /** Undefined if the bank does not name the block. */
  id?: string;
  transfers: ReportedPayment[];
}

/**
 * The counts and sums of the file. Some banks state those of the listed payments instead, so a
 * number that is theirs says nothing about the file.
 */
export function readStated(
  blocks: ReportBlock[],
  counted: XmlElement[],
  told: number,
): { payments?: number; amountMinor?: number } {
  const listed = blocks.flatMap(({ transfers }) => transfers);
  const levels = [
    ...counted.map((element) => ({ element, transfers: listed })),
    ...blocks.filter(({ element }) => !counted.includes(element)),
  ];
  for (const { element, transfers } of levels) requireCounts(element, transfers);
  const counts = levels.flatMap(({ element, transfers }) => {
    const count = numberAt(element, "OrgnlNbOfTxs", parseCount);
    return count === undefined || (count === transfers.length && count > 0) ? [] : [count];
  });
  const sums = levels.flatMap(({ element, transfers }) => {
    const sum = numberAt(element, "OrgnlCtrlSum", parseMinor);
    return sum === undefined || canBeSumOf(transfers, sum) ? [] : [sum];
  });
  const payments = oneOf(counts, "OrgnlNbOfTxs");
  if (payments !== undefined && payments < told) {
    throw new Unreadable("OrgnlNbOfTxs is less than the number of payments");
  }
  return { payments, amountMinor: oneOf(sums, "OrgnlCtrlSum") };
}

function numberAt(
  element: XmlElement,
  name: string,
  parse: (text: string) => number | null,
): number | undefined {
  const text = textAt(element, name);
  if (text === undefined) return undefined;
  const number = parse(text);
  if (number === null) throw new Unreadable(`${name} is no number`);
  return number;
}

function canBeSumOf(transfers: ReportedPayment[], sum: number): boolean {
  const known = transfers.reduce((total, { amountMinor = 0 }) => total + amountMinor, 0);
  const isComplete = transfers.every(({ amountMinor }) => amountMinor !== undefined);
  return transfers.length > 0 && (isComplete ? known === sum : known <= sum);
}

/** What the levels say: a file of ours has one block, so all must say the same. */
function oneOf(values: number[], name: string): number | undefined {
  const [first, ...others] = values;
  if (others.some((value) => value !== first)) {
    throw new Unreadable(`${name} of the file and of its block differ`);
  }
  return first;
}

/** A bank lists the payments of a status all or not at all; otherwise the report is not whole. */
function requireCounts(level: XmlElement, transfers: ReportedPayment[]): void {
  for (const line of children(level, "NbOfTxsPerSts")) {
    const name = textAt(line, "DtldSts")?.toUpperCase();
    const listed = transfers.filter((transfer) => transfer.level.status === name).length;
    if (listed > 0 && parseCount(requiredText(line, "DtldNbOfTxs")) !== listed) {
      throw new Unreadable(`DtldNbOfTxs of ${level.name} is not the number of payments`);
    }
  }
}
