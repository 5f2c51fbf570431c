// The report of a comparison, for people or for programs: a line for each difference immediately,
// and a summary at the end.

import ansis from "ansis";
import { toDecimal } from "../../../shared/money.ts";
import { grouped } from "../../platform/output.ts";
import type { BookEntry } from "./books.ts";
import type { Difference, Summary } from "./compare.ts";
import { DIFFERENCES, type DifferenceClass, type PartnerEntry } from "./judge.ts";
import type { Partner } from "./list.ts";

export interface Report {
  line(difference: Difference): string;
  end(summary: Summary): string;
}

export function readableReport({ role, name }: Partner): Report {
  return {
    line({ difference, kind, id, book, entry, problem, place }) {
      const what = DIFFERENCES[difference];
      if (problem !== undefined) return `${what}: entry ${place} ${id ?? ""}: ${problem}\n`;
      const inBooks = `books: ${book ? bookWords(book) : "nothing"}`;
      const atPartner = `${role}: ${entry ? entryWords(entry) : "nothing"}`;
      return `${what}: ${kind} ${id}; ${inBooks}; ${atPartner}\n`;
    },
    end({ compared, agree, onTheWay, differences }) {
      const counts = Object.entries(differences).map(
        ([difference, count]) => `${grouped(count)} ${DIFFERENCES[difference as DifferenceClass]}`,
      );
      const verdict =
        counts.length === 0
          ? ansis.green(`The books and the ${role} ${name} agree.`)
          : ansis.red(`The books and the ${role} ${name} differ: ${counts.join(", ")}.`);
      const rest = `${grouped(agree)} agree, ${grouped(onTheWay)} are on their way.`;
      return `${verdict} ${grouped(compared)} compared: ${rest}\n`;
    },
  };
}

function bookWords(book: BookEntry): string {
  const { id, key, businessId, partner, status, changedAt } = book;
  const own = id === key ? "" : ` as ${id}`;
  return `${status} ${formatMoney(book)}${own} at ${partner ?? "no partner"}, business ${businessId}, ${formatTime(changedAt)}`;
}

function entryWords(entry: PartnerEntry): string {
  return `${entry.state} ${formatMoney(entry)}, ${formatTime(entry.at)}`;
}

/**
 * The report for programs: one JSON object per line, each a difference; the last is the summary.
 */
export const jsonReport: Report = {
  line({ book, entry, ...difference }) {
    return jsonLine({
      ...difference,
      ...(book && { books: shown(book, book.changedAt) }),
      ...(entry && { partner: shown(entry, entry.at) }),
    });
  },
  end: (summary) => jsonLine({ summary }),
};

function shown({ amountMinor, ...side }: BookEntry | PartnerEntry, at: number): object {
  const { kind: _kind, ...rest } = side;
  return { ...rest, amountMinor, at: formatTime(at) };
}

function jsonLine(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

/** The amount of an entry. A damaged document may have an invalid one. */
function formatMoney({ amountMinor, currency }: BookEntry | PartnerEntry): string {
  const amount = Number.isSafeInteger(amountMinor) ? toDecimal(amountMinor) : String(amountMinor);
  return `${amount} ${currency}`;
}

function formatTime(ms: number): string {
  return Number.isFinite(ms) ? new Date(ms).toISOString() : String(ms);
}
