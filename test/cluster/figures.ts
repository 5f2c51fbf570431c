// The figures of a run: how fast requests were served before, during and after each kind of fault,
// how long a kind of request had no success, and how many requests ended unknown.

import type { Incident } from "./contract.ts";
import type { Entry, Kind } from "./workload/history.ts";

/** The kinds of requests whose recovery is measured. */
const MEASURED: Kind[] = ["withdraw", "pay", "fund", "balance"];
/** How long before and after a fault requests are counted, in ms. */
const BESIDE_MS = 5_000;

/** The faults of one name. */
export interface FaultFigures {
  name: string;
  times: number;
  /** Answered requests per second. */
  before: number;
  during: number;
  after: number;
  /**
   * The longest time from the beginning of such a fault, and from its end, until the first success
   * of a request that began later; in ms, by kind. Infinity if there was none.
   */
  fromBegin: Partial<Record<Kind, number>>;
  fromEnd: Partial<Record<Kind, number>>;
  /** The longest time without an accepted withdrawal from the beginning on, in ms. */
  silenceMs: number;
  unknown: number;
}

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
}

/** @param history all requests, of the time in which the workload ran */
export function computeFigures(history: readonly Entry[], incidents: readonly Incident[]): Figures {
  const names = [...new Set(incidents.map(({ name }) => name))].toSorted();
  const kinds = [...new Set(history.map(({ kind }) => kind))].toSorted();
  return {
    faults: names.map((name) =>
      ofFault(
        name,
        history,
        incidents.filter((incident) => incident.name === name),
      ),
    ),
    kinds: kinds.map((kind) =>
      ofKind(
        kind,
        history.filter((entry) => entry.kind === kind),
      ),
    ),
    calmPerSecond: calmRate(history, incidents),
  };
}

const isAnswered = ({ status }: Entry) => status > 0 && status < 500;
const isUnknown = ({ status }: Entry) => status === 0 || status >= 500;
const isSuccess = ({ status }: Entry) => status === 200 || status === 201;

function ofFault(name: string, history: readonly Entry[], incidents: Incident[]): FaultFigures {
  const rate = (windows: [from: number, until: number][]) => {
    const ms = windows.reduce((sum, [from, until]) => sum + until - from, 0);
    const answered = windows.flatMap(([from, until]) =>
      history.filter((entry) => isAnswered(entry) && entry.until >= from && entry.until < until),
    );
    return ms === 0 ? 0 : (answered.length / ms) * 1_000;
  };
  const worst = (moment: "from" | "until") =>
    Object.fromEntries(
      MEASURED.map((kind) => [
        kind,
        Math.max(...incidents.map((incident) => firstSuccess(history, kind, incident[moment]))),
      ]),
    );
  return {
    name,
    times: incidents.length,
    before: rate(incidents.map(({ from }) => [from - BESIDE_MS, from])),
    during: rate(incidents.map(({ from, until }) => [from, until])),
    after: rate(incidents.map(({ until }) => [until, until + BESIDE_MS])),
    fromBegin: worst("from"),
    fromEnd: worst("until"),
    silenceMs: Math.max(...incidents.map((incident) => longestSilence(history, incident))),
    unknown: history.filter(
      (entry) =>
        isUnknown(entry) &&
        incidents.some(({ from, until }) => entry.until >= from && entry.from <= until),
    ).length,
  };
}

/** The time from a moment until the first success of a request of the kind that began later. */
function firstSuccess(history: readonly Entry[], kind: Kind, since: number): number {
  const successes = history.filter(
    (entry) => entry.kind === kind && isSuccess(entry) && entry.from >= since,
  );
  return Math.min(...successes.map(({ until }) => until - since));
}

/** The longest time without an accepted withdrawal that began or ended within a fault. */
function longestSilence(history: readonly Entry[], { from, until }: Incident): number {
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
  const took = entries.map(({ from, until }) => until - from).toSorted((a, b) => a - b);
  const share = (part: number) => took[Math.min(took.length - 1, Math.floor(took.length * part))];
  return {
    kind,
    requests: entries.length,
    unknown: entries.filter(isUnknown).length,
    p50Ms: share(0.5) ?? 0,
    p99Ms: share(0.99) ?? 0,
    longestMs: took.at(-1) ?? 0,
  };
}

/** The rate of the seconds in which there was no fault, and none shortly before. */
function calmRate(history: readonly Entry[], incidents: readonly Incident[]): number {
  const first = Math.min(...history.map(({ from }) => from));
  const last = Math.max(...history.map(({ until }) => until));
  const isCalm = (second: number) =>
    incidents.every(({ from, until }) => second + 1_000 < from || second > until + BESIDE_MS);
  const counts: number[] = [];
  for (let second = first; second + 1_000 < last; second += 1_000) {
    if (!isCalm(second)) continue;
    const ended = history.filter(({ until }) => until >= second && until < second + 1_000);
    counts.push(ended.filter(isAnswered).length);
  }
  return counts.length === 0 ? 0 : counts.reduce((sum, count) => sum + count, 0) / counts.length;
}
