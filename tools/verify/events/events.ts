// From stored events to their documents: each event reports a state that its document has entered,
// under the id and place of that state, for the document's business, with the document's amounts.

import { CLOCKS_DIFFER_BY_MS } from "../../../shared/clock.ts";
import { idAfter } from "../../../shared/ids.ts";
import { type Books, PHASES, readOlder, select } from "../books.ts";
import { type Document, type Kind, readDocuments, sanitize } from "../kinds/kind.ts";
import { ALL_KINDS } from "../kinds/kinds.ts";

interface Event {
  _id: string;
  businessId: string;
  transactionId: string;
  seq: number;
  at: Date;
  eventType: string;
  body: string;
}

const EVENT_FIELDS = select("businessId", "transactionId", "seq", "at", "eventType", "body");

/** The moment since which a longer retention is in force. */
interface Kept {
  _id: string;
  since: Date;
}

/** The phases with documents that expire, and the field with the age of a document. */
const EXPIRES_BY = { events: "at", deliveries: "createdAt" } as const;

/**
 * Finds the moment since which all events, or all deliveries, are kept. The index over their age
 * gives it, except for documents that were removed before the index was changed (webhooks,
 * retention.ts).
 * @returns the moment at the time of the call, epoch ms
 */
export async function keptSince(
  { db, find }: Books,
  phase: keyof typeof EXPIRES_BY,
): Promise<() => number> {
  const name = PHASES[phase];
  const isThere = await db.listCollections({ name }).hasNext();
  const indexes = isThere ? await db.collection(name).indexes() : [];
  const expiring = indexes.find(
    ({ key, expireAfterSeconds }) => EXPIRES_BY[phase] in key && expireAfterSeconds !== undefined,
  );
  if (expiring?.expireAfterSeconds === undefined) return () => Number.NEGATIVE_INFINITY;
  const retainedMs = expiring.expireAfterSeconds * 1_000;
  const grown = find<Kept>("webhook_retention", { _id: name });
  const since = Number((await grown.next())?.since ?? 0);
  // MongoDB removes expired documents once a minute.
  return () => Math.max(Date.now() - retainedMs, since) + CLOCKS_DIFFER_BY_MS;
}

/** Checks every event against its document, which is read after it. */
export async function verifyEvents(books: Books): Promise<void> {
  for await (const batch of readOlder<Event>(books, PHASES.events, EVENT_FIELDS)) {
    for (const [kind, events] of Map.groupBy(batch, findKind)) {
      const ids = events.map(({ transactionId }) => transactionId);
      const documents = kind ? await readDocuments(books, kind, ids) : new Map<string, Document>();
      for (const [id, document] of documents) documents.set(id, sanitize(document));
      for (const event of events) {
        for (const problem of findProblems(event, kind, documents.get(event.transactionId))) {
          books.findings.violation(
            "events",
            `event ${event._id} of ${event.transactionId} ${problem}`,
          );
        }
      }
    }
    books.looked("events", batch.length);
  }
}

/** The kind of the event's document; undefined for an event without a document. */
function findKind({ eventType }: Event): Kind | undefined {
  return ALL_KINDS.find(({ eventTypes }) => eventTypes.includes(eventType));
}

function findProblems(
  event: Event,
  kind: Kind | undefined,
  document: Document | undefined,
): string[] {
  const body = parseBody(event);
  if (body?.eventType !== event.eventType)
    return [`says ${String(body?.eventType)}, not ${event.eventType}`];
  if (!kind) return [];
  if (!document) return [`tells of no ${kind.name}`];
  const state = document.states[event.seq - 1];
  if (!state) return [`tells of state ${event.seq}, which its ${kind.name} has not entered`];
  const { payload = {} } = body;
  const due = kind.expectedEvent(document, event.seq);
  if (!due) return [`reports state ${event.seq}, ${state.status}, which has no event`];
  const fields: [name: string, actual: unknown, expected: unknown][] = [
    ["id", event._id, idAfter(document._id, event.seq)],
    ["business", event.businessId, document.businessId],
    ["time", Number(event.at), state.at],
    ["type", event.eventType, due.eventType],
    ["status", body.status, due.status ?? state.status],
    ...Object.entries({ ...due.payload, timestamp: state.at }).map(
      ([field, expected]): [string, unknown, unknown] => [field, payload[field], expected],
    ),
  ];
  return fields
    .filter(([, actual, expected]) => actual !== expected)
    .map(
      ([name, actual, expected]) =>
        `has the ${name} ${String(actual)}, its ${kind.name} ${String(expected)}`,
    );
}

interface Body {
  eventType?: unknown;
  status?: unknown;
  payload?: Record<string, unknown>;
}

/** Null for a text that is no JSON. */
function parseBody({ body }: Event): Body | null {
  try {
    return JSON.parse(body) as Body | null;
  } catch {
    return null;
  }
}
