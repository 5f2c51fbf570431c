// Stops hold: from five seconds after its answer until its end is asked for, nothing that a stop
// forbids is accepted or begins at the bank; and nothing is refused for a stop that nobody asked for.

import { STOPS } from "../workload/client.ts";
import type { Account, Kind } from "../workload/history.ts";
import { begun, listWithdrawn } from "./effects.ts";
import { type Evidence, type Finding, groupBy } from "./evidence.ts";
import { listOperations, type Operation } from "./operations.ts";
import { overlaps, type Spans, spansOf } from "./spans.ts";

/** What a status of a business, or a freeze, forbids. */
const FORBIDS: Record<string, Kind[]> = {
  PAYOUTS_PAUSED: ["withdraw"],
  COLLECTIONS_PAUSED: ["pay", "setup"],
  FROZEN: ["withdraw", "pay", "setup", "move", "transfer", "refund"],
  true: ["withdraw", "move"],
};

export function checkStopped(evidence: Evidence): Finding[] {
  const { history, accounts, heard, incidents } = evidence;
  const stops = listStops(evidence);
  const byId = new Map(accounts.map((account) => [account.id, account]));
  const findings: Finding[] = [];
  const find = (what: string, { subject, what: status }: Stop, shows: unknown[]) => {
    const stopped = `while ${status} of ${subject} held`;
    findings.push({ rule: "stopped", what: `${what} ${stopped}`, evidence: shows });
  };
  /** The stop that forbids an operation, and surely holds in all of a span. */
  const stopOf = (operation: Operation, from: number, until: number) =>
    stops.find(
      (stop) =>
        forbids(stop, operation, byId) && from > stop.surely.from && until < stop.surely.until,
    );
  for (const kind of FORBIDS.FROZEN as Kind[]) {
    for (const operation of listOperations(history, kind)) {
      const { op, done, entries } = operation;
      const stop = done && stopOf(operation, begun(operation), done.until);
      if (stop) find(`${kind} ${op} was done`, stop, [stop, ...entries]);
    }
  }
  for (const { operation, id } of listWithdrawn(evidence)) {
    const at = heard[id] ?? 0;
    const stop = stopOf(operation, at, at);
    // A process that was frozen after its look goes on when it lives again.
    const isFrozen = incidents.some(
      (each) =>
        /frozen/.test(each.name) && stop && overlaps(each, { from: stop.possibly.from, until: at }),
    );
    if (stop && !isFrozen) find(`Payout ${id} was first submitted`, stop, [stop, at, operation]);
  }
  const refused = history.filter(
    ({ body, about }) => STOPS.includes(body?.code) && about.account !== undefined,
  );
  for (const entry of refused) {
    const isAsked = stops.some(
      (stop) => forbids(stop, entry, byId) && overlaps(stop.possibly, entry),
    );
    if (isAsked) continue;
    const what = `${entry.kind} ${entry.op} was refused with ${entry.body.code} without a stop`;
    findings.push({ rule: "stopped", what, evidence: [entry, ...stops] });
  }
  return findings;
}

interface Stop extends Spans {
  subject: string;
  /** The status of a business; `true` of a frozen wallet or user. */
  what: string;
}

function listStops({ history, incidents }: Evidence): Stop[] {
  const controls = listOperations(history, "control");
  return [...groupBy(controls, ({ about }) => String(about.subject)).values()].flatMap((ofOne) =>
    spansOf(ofOne, incidents)
      .map(({ operation: { about }, ...spans }) => ({
        ...{ subject: String(about.subject), what: String(about.what) },
        ...spans,
      }))
      .filter(({ what }) => what in FORBIDS),
  );
}

function forbids(
  { subject, what }: Stop,
  { kind, about }: Pick<Operation, "kind" | "about">,
  accounts: Map<string, Account>,
): boolean {
  const { id, businessId, entityId } = accounts.get(String(about.account)) ?? {};
  const isMeant = [id, businessId, entityId, about.payee].includes(subject);
  return isMeant && FORBIDS[what]?.includes(kind) === true;
}
