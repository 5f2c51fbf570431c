// The figures of a run: how fast requests were served before, during and after each fault, how long
// a kind of request had no success, and how many requests ended unknown.

import type { Incident } from "./contract.ts";
import type { Entry, Kind } from "./workload/history.ts";

/** The kinds of requests whose recovery is measured. */
const MEASURED = ["withdraw", "pay"] as const;
/** How long before and after a fault requests are counted, in ms. */
const BESIDE_MS = 5_000;

export const TWO_AT_ONCE = "two faults at once";

/** The figures of one fault, or of faults that overlapped. */
export interface FaultFigures {
  name: string;
  /** Answered requests per second. */
  before: number;
  during: number;
  after: number;
  /**
   * The time from the beginning, and from the end, until the first success of a request that began
   * later; in ms. A kind is absent if the clients stopped before one succeeded.
   */
  fromBegin: Recovery;
  fromEnd: Recovery;
  /** The longest time without an accepted withdrawal from the beginning on, in ms. */
  silenceMs: number;
  unknown: number;
}

type Recovery = Partial<Record<(typeof MEASURED)[number], number>>;

export interface KindFigures {
  kind: Kind;
  requests: number;
  /** Without an answer, or answered that the outcome is not known or a service is away. */
  unknown: number;
  p50Ms: number;
  p99Ms: number;
  longestMs: number;
}

export interface Figures {
  faults: FaultFigures[];
  kinds: KindFigures[];
  /** Answered requests per second while there was no fault. */
  calmPerSecond: number;
  /** How long the clients sent requests, in ms. */
  loadMs: number;
}

/** @param history all requests, of the time in which the workload ran */
export function computeFigures(history: readonly Entry[], incidents: readonly Incident[]): Figures {
  const kinds = [...new Set(history.map(({ kind }) => kind))].toSorted();
  const first = Math.min(...history.map(({ from }) => from));
  const last = Math.max(...history.map(({ until }) => until));
  return {
    faults: inTurn(incidents).map((incident) => ofFault(incident, history)),
    kinds: kinds.map((kind) =>
      ofKind(
        kind,
        history.filter((entry) => entry.kind === kind),
      ),
    ),
    calmPerSecond: calmRate(history, incidents, first, last),
    loadMs: last - first,
  };
}

/** @returns the least value that at least the share does not exceed; absent without values */
export function percentile(values: readonly number[], share: number): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * share) - 1];
}

type Span = Pick<Incident, "name" | "from" | "until">;

/** The faults in the order of time, with those that overlap as one. */
function inTurn(incidents: readonly Incident[]): Span[] {
  const spans: Span[] = [];
  for (const { name, from, until } of incidents.toSorted((a, b) => a.from - b.from)) {
    const last = spans.at(-1);
    if (last === undefined || last.until < from) spans.push({ name, from, until });
    else Object.assign(last, { name: TWO_AT_ONCE, until: Math.max(last.until, until) });
  }
  return spans;
}

const isAnswered = ({ status }: Entry) => status > 0 && status < 500;
const isUnknown = ({ status }: Entry) => status === 0 || status >= 500;
const isSuccess = ({ status }: Entry) => status === 200 || status === 201;

function ofFault(span: Span, history: readonly Entry[]): FaultFigures {
  const { name, from, until } = span;
  const answered = history.filter(isAnswered);
  const rate = (begin: number, end: number) =>
    answered.filter((entry) => entry.until >= begin && entry.until < end).length /
    ((end - begin) / 1_000);
  return {
    name,
    before: rate(from - BESIDE_MS, from),
    during: rate(from, until),
    after: rate(until, until + BESIDE_MS),
    fromBegin: recovery(history, from),
    fromEnd: recovery(history, until),
    silenceMs: longestSilence(history, span),
    unknown: history.filter(
      (entry) => isUnknown(entry) && entry.until >= from && entry.from <= until,
    ).length,
  };
}

function recovery(history: readonly Entry[], since: number): Recovery {
  const successes = history.filter((entry) => isSuccess(entry) && entry.from >= since);
  return Object.fromEntries(
    MEASURED.flatMap((kind) => {
      const ends = successes.filter((entry) => entry.kind === kind).map(({ until }) => until);
      return ends.length === 0 ? [] : [[kind, Math.min(...ends) - since]];
    }),
  );
}

/** The longest time without an accepted withdrawal that began or ended within a fault. */
function longestSilence(history: readonly Entry[], { from, until }: Span): number {
  const moments = history
    .filter((entry) => entry.kind === "withdraw" && isSuccess(entry))
    .map((entry) => entry.until)
    .toSorted((a, b) => a - b);
  const gaps = moments.map((moment, i) => ({ begin: moments[i - 1] ?? moment, end: moment }));
  return Math.max(
    0,
    ...gaps
      .filter(({ begin, end }) => end > from && begin < until)
      .map(({ begin, end }) => end - Math.max(begin, from)),
  );
}

function ofKind(kind: Kind, entries: Entry[]): KindFigures {
  const took = entries.map(({ from, until }) => until - from);
  return {
    kind,
    requests: entries.length,
    unknown: entries.filter(isUnknown).length,
    p50Ms: percentile(took, 0.5) ?? 0,
    p99Ms: percentile(took, 0.99) ?? 0,
    longestMs: Math.max(...took),
  };
}

/** The rate of the seconds in which there was no fault, and none shortly before. */
function calmRate(
  history: readonly Entry[],
  incidents: readonly Incident[],
  first: number,
  last: number,
): number {
  const isCalm = (second: number) =>
    incidents.every(({ from, until }) => second + 1_000 < from || second > until + BESIDE_MS);
  const counts: number[] = [];
  for (let second = first; second + 1_000 < last; second += 1_000) {
    if (!isCalm(second)) continue;
    const ended = history.filter(({ until }) => until >= second && until < second + 1_000);
    counts.push(ended.filter(isAnswered).length);
  }
  return mean(counts);
}

/** @returns 0 without values */
export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : sum(values) / values.length;
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
