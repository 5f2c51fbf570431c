// Deliveries: an event has one for each endpoint that it was stored for, as long as deliveries are
// kept. A delivery agrees with its event, and has no field of another state. An event is stored
// before its deliveries, and a document counts the event as acknowledged after them. So deliveries
// are read after the acknowledged states, and events after the deliveries.

import { CLOCKS_DIFFER_BY_MS } from "../../../shared/clock.ts";
import { creationTime, readUuid } from "../../../shared/ids.ts";
import { type Books, inBatches, PHASES, readAll, select } from "../books.ts";

interface Event {
  _id: string;
  businessId: string;
  transactionId: string;
  seq: number;
  eventType: string;
  endpointIds: string[];
}

interface Delivery extends Omit<Event, "endpointIds"> {
  eventId: string;
  endpointId: string;
  status: string;
  deadLetterReason: string | null;
  createdAt: unknown;
  nextAttemptAt: unknown;
  claim: string | null;
  held: boolean;
  failures: number;
  failingSince: unknown;
  attempts: number;
  last?: { errorClass?: string | null } | null;
}

const ATTEMPTS_KEPT = 100;
const OF_EVENT = ["businessId", "transactionId", "seq", "eventType"] as const;
const EVENT_FIELDS = select(...OF_EVENT, "endpointIds");
const ATTEMPTS = { $cond: [{ $isArray: "$attempts" }, "$attempts", []] };
const DELIVERY_FIELDS = {
  ...select(...OF_EVENT, "eventId", "endpointId", "status", "deadLetterReason", "createdAt"),
  ...select("nextAttemptAt", "claim", "held", "failures", "failingSince"),
  attempts: { $size: ATTEMPTS },
  last: { $last: ATTEMPTS },
};

/** An event that its document counts as acknowledged. */
interface AcknowledgedEvent {
  _id: string;
  endpointIds: unknown;
  /** The time at which its state was entered; epoch ms. */
  at: number;
}

/** Checks that acknowledged events have their deliveries. */
export async function verifyDelivered(
  { find, findings }: Books,
  events: AcknowledgedEvent[],
  keptSince: () => number,
): Promise<void> {
  const promised = events.flatMap(({ _id, endpointIds, at }) =>
    (Array.isArray(endpointIds) ? endpointIds : []).map((endpointId) => ({ _id, endpointId, at })),
  );
  if (promised.length === 0) return;
  const wanted = { eventId: { $in: [...new Set(promised.map(({ _id }) => _id))] } };
  const projection = select("eventId", "endpointId");
  const found = find<Delivery>(PHASES.deliveries, wanted, { projection });
  const stored = new Set<string>();
  for await (const { eventId, endpointId } of found) stored.add(`${eventId} ${endpointId}`);
  const since = keptSince();
  for (const { _id, endpointId, at } of promised) {
    if (stored.has(`${_id} ${endpointId}`) || at < since) continue;
    const detail = `event ${_id} has no delivery to its endpoint ${String(endpointId)}`;
    findings.violation("deliveries", detail);
  }
}

/** Checks every delivery on its own, and against its event, which is read after it. */
export async function verifyDeliveries(books: Books, keptSince: () => number): Promise<void> {
  const cursor = books.aggregate<Delivery>(PHASES.deliveries, [
    { $match: { _id: { $lt: books.began } } },
    { $project: DELIVERY_FIELDS },
  ]);
  for await (const batch of inBatches(cursor)) {
    const ids = batch.map(({ eventId }) => eventId);
    const events = await readAll<Event>(books, PHASES.events, ids, EVENT_FIELDS);
    for (const delivery of batch) {
      const event = events.get(delivery.eventId);
      const mayBeGone = timeAt(delivery.eventId) < keptSince();
      const problems = [
        stateProblem(delivery),
        countProblem(delivery),
        ageProblem(delivery),
        event ? eventProblem(delivery, event) : mayBeGone ? null : "is of no event",
      ];
      for (const problem of problems) {
        if (!problem) continue;
        const detail = `delivery ${delivery._id} (${delivery.status}) of ${delivery.eventId} ${problem}`;
        books.findings.violation("deliveries", detail);
      }
    }
    books.looked("deliveries", batch.length);
  }
}

/**
 * The time at which an id was made, epoch ms; an event is not older than its id. NaN for a value
 * that is no id.
 */
function timeAt(id: unknown): number {
  const read = readUuid(id);
  return read === null ? Number.NaN : creationTime(read);
}

/** A pending delivery has a moment (driven.ts); an ended one has no moment and no claim. */
function stateProblem(delivery: Delivery): string | null {
  const { status, deadLetterReason, nextAttemptAt, claim, held, last } = delivery;
  if (!["PENDING", "DELIVERED", "DEAD_LETTER"].includes(status)) return "is in no known state";
  const isDead = status === "DEAD_LETTER";
  if (isDead !== (deadLetterReason !== null)) {
    return isDead ? "is given up for no reason" : `is given up as ${deadLetterReason}, and is not`;
  }
  if (status === "PENDING") {
    return held && claim !== null ? "is held, and is claimed" : null;
  }
  if (nextAttemptAt !== null) return "has ended, and has a next attempt";
  if (claim !== null || held) return "has ended, and is claimed or held";
  if (status === "DELIVERED" && last?.errorClass !== null) {
    return "is delivered, and its last attempt was not answered with 2xx";
  }
  const isTried = deadLetterReason === "exhausted" || deadLetterReason === "refused";
  const hasFailed = (last?.errorClass ?? null) !== null;
  return isTried && !hasFailed ? `is ${deadLetterReason}, and its last attempt did not fail` : null;
}

/** Failures are attempts, and the last attempts are kept. */
function countProblem({ failures, failingSince, attempts }: Delivery): string | null {
  const isCount = Number.isSafeInteger(failures) && failures >= 0;
  if (!isCount || (failures > attempts && attempts < ATTEMPTS_KEPT)) {
    return `has failed ${failures} times in ${attempts} attempts`;
  }
  return failures > 0 && !(failingSince instanceof Date)
    ? `has failed ${failures} times, since no time`
    : null;
}

/** MongoDB removes a delivery by its age, which its id shows too. */
function ageProblem({ _id, createdAt }: Delivery): string | null {
  const made = timeAt(_id);
  const isRight =
    createdAt instanceof Date && Math.abs(createdAt.getTime() - made) <= CLOCKS_DIFFER_BY_MS;
  return isRight ? null : `was created at ${String(createdAt)}, its id at ${made}`;
}

function eventProblem(delivery: Delivery, event: Event): string | null {
  const parts = OF_EVENT.filter((field) => delivery[field] !== event[field]).map(
    (field) => `the ${field} ${delivery[field]}, its event ${event[field]}`,
  );
  if (parts.length > 0) return `has ${parts.join("; ")}`;
  const { endpointIds } = event;
  const isPromised = Array.isArray(endpointIds) && endpointIds.includes(delivery.endpointId);
  return isPromised ? null : `goes to ${delivery.endpointId}, for which its event is not`;
}
