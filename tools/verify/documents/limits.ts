// The counters of limits: a counter of a running window has the amounts and the number of the payouts
// that it counts. A counter's mark decides about a payout that has one. Any other payout says itself
// whether it is counted: it has been, and has not ended unpaid. It stores that before its mark goes,
// and changes it only while it has a mark. So payouts are read after the counters, and the next
// verification looks at a counter that has changed meanwhile. A payout of a window that is over is
// not given back, so the counters of such windows are not compared.
//
// A counted payout has its counters: they are stored before it, so they are read after it.

import { lowestIdAt } from "../../../shared/ids.ts";
import { type Books, inBatches, readAll, select } from "../books.ts";
import { describe } from "../kinds/kind.ts";
import { KINDS } from "../kinds/kinds.ts";
import type { Payout } from "../kinds/payouts.ts";

interface Counter {
  _id: string;
  v: number;
  usedMinor: number;
  count: number;
  marks?: Record<string, unknown> | null;
}

const COLLECTION = "payout_limit_counters";

type Counted = Pick<
  Payout,
  "_id" | "amountMinor" | "step" | "status" | "states" | "counted" | "isCounted"
>;
const FIELDS = select("amountMinor", "step", "status", "states", "counted", "isCounted");

/** Checks that the counted payouts of a batch have their counters. */
export async function verifyCounted(books: Books, batch: Payout[]): Promise<void> {
  const named = batch.flatMap((payout) =>
    payout.isCounted ? namesOf(payout).map((counterId) => ({ payout, counterId })) : [],
  );
  const running = named.filter(({ counterId }) => isRunning(counterId));
  const ids = running.map(({ counterId }) => counterId);
  const found = await readAll<Counter>(books, COLLECTION, ids, select("v"));
  for (const { payout, counterId } of running) {
    if (found.has(counterId) || !isRunning(counterId)) continue;
    const name = describe(KINDS.payouts, payout);
    books.findings.violation("limits", `${name} names ${counterId}, which is not there`);
  }
}

/** Checks that each counter of a running window has what its payouts come to. */
export async function verifyLimits(books: Books): Promise<void> {
  for await (const batch of inBatches(books.find<Counter>(COLLECTION, {}))) {
    const running = batch.filter(({ _id }) => isRunning(_id));
    books.findings.count("counters", running.length);
    const sums = await sumPayouts(books, running);
    const wrong = running.filter((counter) => {
      const sum = sums.get(counter._id);
      return sum?.usedMinor !== counter.usedMinor || sum.count !== counter.count;
    });
    const ids = wrong.map(({ _id }) => _id);
    const again = await readAll<Counter>(books, COLLECTION, ids, select("v"));
    for (const { _id, v, usedMinor, count } of wrong) {
      if (again.get(_id)?.v !== v || !isRunning(_id)) continue;
      const sum = sums.get(_id);
      const said = `has ${usedMinor} of ${count} payouts`;
      const detail = `${said}, and they come to ${sum?.usedMinor} of ${sum?.count}`;
      books.findings.violation("limits", `The counter ${_id} ${detail}`);
    }
  }
}

async function sumPayouts(books: Books, counters: Counter[]) {
  const sums = new Map(
    counters.map((counter) => [counter._id, { counter, usedMinor: 0, count: 0 }]),
  );
  if (counters.length === 0) return sums;
  const from = Math.min(...counters.map(({ _id }) => windowOf(_id).from));
  const payouts = books.find<Counted>(
    "payouts",
    { _id: { $gte: lowestIdAt(from) }, counted: { $in: [...sums.keys()] } },
    { projection: FIELDS },
  );
  for await (const payout of payouts) {
    for (const counterId of namesOf(payout)) {
      const sum = sums.get(counterId);
      if (!sum || !isCountedBy(sum.counter, payout)) continue;
      sum.usedMinor += payout.amountMinor;
      sum.count += 1;
    }
  }
  return sums;
}

function namesOf({ counted = [] }: Pick<Counted, "counted">): string[] {
  return Array.isArray(counted) ? counted : [];
}

function isCountedBy(
  { marks }: Counter,
  { _id, step, status, states, isCounted }: Counted,
): boolean {
  const mark = marks?.[_id];
  if (mark === "in" || mark === "out") return mark === "in";
  const wasPaid = Array.isArray(states) && states.some((state) => state?.status === "SUCCESS");
  const hasEndedUnpaid = step === "declined" || (status === "FAILED" && !wasPaid);
  return isCounted === true && !hasEndedUnpaid;
}

/** The day or the month (UTC) that the name of a counter begins with; epoch ms, `to` exclusive. */
function windowOf(counterId: string): { from: number; to: number } {
  const [per, day = ""] = counterId.split(":");
  const to = new Date(day);
  if (per === "month") to.setUTCMonth(to.getUTCMonth() + 1);
  else to.setUTCDate(to.getUTCDate() + 1);
  return { from: Date.parse(day), to: to.getTime() };
}

function isRunning(counterId: string): boolean {
  return windowOf(counterId).to > Date.now();
}
