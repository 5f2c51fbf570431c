// Reads pain.002, CustomerPaymentStatusReport: what the bank says about files and their payments. A
// report has one part for each file that it names. A part that contradicts itself has a fault,
// because half of it would return money that the bank has paid.

import { type AnswerFile, type Part, type Told, Unreadable } from "../format.ts";
import { isCurrency, parseMinor } from "./amounts.ts";
import type { MessageReader } from "./notification.ts";
import { payoutId } from "./payment-ids.ts";
import { type ReportBlock, type ReportedPayment, readStated } from "./report-counts.ts";
import { Contradiction, type Level, readLevel, type Verdict, verdictOf } from "./statuses.ts";
import { children, only, optional, type XmlElement } from "./xml-reader.ts";

export function readStatusReport(): MessageReader {
  const transfers = new Map<XmlElement, ReportedPayment[]>();
  return {
    take(element, parents) {
      const parent = parents.at(-1);
      const isListed = parent && (parent.name === "OrgnlPmtInfAndSts" || parents.length === 1);
      if (element.name !== "TxInfAndSts" || !isListed) return false;
      const before = transfers.get(parent);
      if (before) before.push(readTransfer(element));
      else transfers.set(parent, [readTransfer(element)]);
      return true;
    },
    end(root): AnswerFile {
      const group = only(root, "OrgnlGrpInfAndSts");
      // Version 2 has the payments beside the group.
      const elements = [
        ...children(root, "OrgnlPmtInfAndSts"),
        ...(transfers.has(root) ? [root] : []),
      ];
      const blocks = elements.map((element): ReportBlock => {
        const id = element === root ? undefined : idAt(element, "OrgnlPmtInfId");
        return { element, id, transfers: transfers.get(element) ?? [] };
      });
      return { parts: partsOf(group, blocks), passedOver: 0 };
    },
  };
}

function readTransfer(element: XmlElement): ReportedPayment {
  const given = ["OrgnlEndToEndId", "OrgnlInstrId"].flatMap((name) =>
    children(element, name).map(({ text }) => text),
  );
  const named = given.filter((text) => text && text !== NOT_PROVIDED);
  const ids = new Set(named.flatMap((text) => payoutId(text.replaceAll("-", "")) ?? []));
  const transfer = { ids: [...ids], isForeign: named.length > 0 && ids.size === 0 };
  try {
    return { ...transfer, level: readLevel(element, "TxSts"), ...readAmount(element) };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { ...transfer, level: { reasons: [] }, fault: error.message };
  }
}

const NOT_PROVIDED = "NOTPROVIDED";

function readAmount(
  transfer: XmlElement,
): Pick<ReportedPayment, "amountMinor" | "currency" | "fault"> {
  const original = optional(transfer, "OrgnlTxRef");
  const amounts = original && optional(original, "Amt");
  const amount = amounts && optional(amounts, "InstdAmt");
  if (!amount?.text) return {};
  const amountMinor = parseMinor(amount.text);
  const currency = amount.attributes.get("Ccy");
  if (amountMinor === null) return { fault: "its InstdAmt is no sum of money" };
  if (!isCurrency(currency)) return { fault: "its currency is none of payrail's" };
  return { amountMinor, currency };
}

function idAt(element: XmlElement, name: string): string | undefined {
  const [id] = children(element, name).map(({ text }) => text);
  return id === NOT_PROVIDED ? undefined : id?.toUpperCase() || undefined;
}

/** A file of ours has one block, whose id is the file's. */
function partsOf(group: XmlElement, blocks: ReportBlock[]): Part[] {
  const file = idAt(group, "OrgnlMsgId");
  const byFile = Map.groupBy(blocks, ({ id }) => id ?? file);
  if (byFile.size === 0 || (file !== undefined && !byFile.has(file))) byFile.set(file, []);
  if (byFile.has(undefined) && blocks.every(({ transfers }) => transfers.every(isNameless))) {
    throw new Unreadable("The report names no file and no payment");
  }
  return [...byFile].map(([batch, some]) => {
    const where = batch === undefined ? "the report" : `the report about ${batch}`;
    const levels = byFile.size === 1 ? [group] : [];
    const part = readPart(group, some, levels);
    // A refusal of a block under another id must not be lost.
    const isOne = file === undefined || [...byFile.keys()].every((id) => id === file);
    const fault = isOne ? part.fault : "OrgnlPmtInfId is not the OrgnlMsgId";
    return { where, ...(batch !== undefined && { batch }), ...part, ...(fault && { fault }) };
  });
}

function isNameless({ ids }: ReportedPayment): boolean {
  return ids.length === 0;
}

type Finding = Pick<Part, "told" | "whole" | "stated" | "fault">;

/** @param counted the levels beside the blocks whose counts are those of the file */
function readPart(group: XmlElement, blocks: ReportBlock[], counted: XmlElement[]): Finding {
  const told: Told[] = [];
  try {
    const outer = readLevel(group, "GrpSts");
    const levels = blocks.map((block) => [outer, readLevel(block.element, "PmtInfSts")]);
    const whole = wholeOf(outer, blocks, levels);
    let fault: string | undefined;
    for (const [index, { transfers }] of blocks.entries()) {
      for (const transfer of transfers) {
        if (!isNameless(transfer)) told.push(...toldBy(transfer, levels[index] as Level[]));
        else fault ??= namelessFault(transfer, levels[index] as Level[], whole);
      }
    }
    if (told.length === 0 && whole === null) fault ??= "it has no status";
    const stated = readStated(blocks, counted, told.length);
    const { payments = 0, amountMinor = 0 } = stated;
    return {
      told: withoutRepeats(told),
      ...(whole && { whole }),
      ...((payments || amountMinor) && { stated }),
      ...(fault && { fault }),
    };
  } catch (error) {
    if (!(error instanceof Unreadable || error instanceof Contradiction)) throw error;
    return { told, fault: error.message };
  }
}

/**
 * What the report says about the payments that it does not list. If it has several blocks for one
 * file, a block is about its listed payments.
 */
function wholeOf(outer: Level, blocks: ReportBlock[], levels: Level[][]): Verdict | null {
  if (blocks.length < 2) return verdictOf(levels[0] ?? [outer]);
  if (blocks.some(({ transfers }) => transfers.length > 0)) return verdictOf([outer]);
  const verdicts = new Map(
    levels.map((some) => verdictOf(some)).map((verdict) => [JSON.stringify(verdict), verdict]),
  );
  const [verdict = null, ...others] = verdicts.values();
  if (others.length > 0) throw new Contradiction("the blocks have several statuses");
  return verdict;
}

function toldBy(transfer: ReportedPayment, levels: Level[]): Told[] {
  const { ids, level, amountMinor, currency, fault } = transfer;
  const [payment = "", ...others] = ids;
  const money = { ...(amountMinor !== undefined && { amountMinor, currency }) };
  const second = others.map((id): Told => {
    return { payment: id, state: "unclear", fault: "the report gives one payment two ids" };
  });
  return [{ payment, ...money, ...verdictOn(level, levels), ...(fault && { fault }) }, ...second];
}

function verdictOn(level: Level, levels: Level[]): Omit<Told, "payment"> {
  try {
    const verdict = verdictOf([...levels, level]);
    return verdict ?? { state: "unclear", problem: "The bank's report gives it no status" };
  } catch (error) {
    if (!(error instanceof Contradiction)) throw error;
    return { state: "unclear", fault: error.message };
  }
}

/** Ids are optional: a payment without one may repeat what is said of the whole. */
function namelessFault(
  { isForeign, level }: ReportedPayment,
  levels: Level[],
  whole: Verdict | null,
): string | undefined {
  if (isForeign) return "it lists a payment whose id is no payout's";
  const own = verdictOf([...levels, level]);
  if (own !== null && own.state === whole?.state) return undefined;
  return "it gives a payment without an id a status of its own";
}

/** A payment may be told twice only in the same words. */
function withoutRepeats(statuses: Told[]): Told[] {
  const told = new Map<string, Told>();
  for (const each of statuses) {
    const before = told.get(each.payment);
    if (before && JSON.stringify(before) !== JSON.stringify(each)) {
      before.fault ??= "the report gives it two different statuses";
    } else told.set(each.payment, each);
  }
  return [...told.values()];
}
