// From documents to the transfers and events that they need. An accepted payout has its debit in
// the journal, a FAILED one its reversal, a payment that succeeded its collection, and every state
// that webhooks has acknowledged has its event. All of these are stored before the document stores
// its own state, and are read after it. A state that the document does not store yet (not accepted,
// reversal not answered, outbox not empty) is pending, not wrong.

import { idAfter } from "../../../shared/ids.ts";
import { type Books, PHASES, readAll, readOlder, select } from "../books.ts";
import { verifyDelivered } from "../events/deliveries.ts";
import { committedTimes, type Expected } from "../journal/committed.ts";
import { type Document, describe, type Kind, sanitize, selectFields } from "../kinds/kind.ts";

/** The data that the documents of a kind are checked against. */
interface Against {
  partitions: number;
  /** Epoch ms; older events and deliveries may have expired. */
  eventsSince: () => number;
  deliveriesSince: () => number;
}

/**
 * Checks that every document of a kind has its transfers and its events.
 * @param also checks each batch further
 */
export async function verifyDocuments<D extends Document>(
  books: Books,
  kind: Kind<D>,
  against: Against,
  also?: (batch: D[]) => Promise<void>,
): Promise<void> {
  const { phase, rule } = kind;
  for await (const stored of readOlder<D>(books, PHASES[phase], selectFields(kind))) {
    const batch = stored.map(sanitize);
    for (const document of batch) {
      const problem = kind.findContradiction(document);
      if (problem) books.findings.violation("states", `${describe(kind, document)} ${problem}`);
    }
    const expected = batch.flatMap((document) => owedTransfers(kind, document));
    await verifyCommitted(books, rule, expected, against.partitions);
    await verifyDocumentEvents(books, kind, batch, against);
    await also?.(batch);
    books.looked(phase, batch.length);
  }
}

/** The role of each kind of transfer for its document. */
const OWED_AS: Record<string, string> = {
  payout: "debit",
  "payout-reversal": "reversal",
  collection: "collection",
  refund: "debit",
  "refund-reversal": "reversal",
  funding: "credit",
  "adjustment-credit": "credit",
  "adjustment-debit": "debit",
};

interface Owed extends Expected {
  name: string;
}

function owedTransfers<D extends Document>(kind: Kind<D>, document: D): Owed[] {
  return kind.owes(document).map((owed) => {
    const post = kind.postings[owed] as Kind<D>["postings"][string];
    const { id: transferId, walletId } = post(document);
    return { name: `${OWED_AS[owed]} of ${describe(kind, document)}`, walletId, transferId };
  });
}

async function verifyCommitted(
  books: Books,
  rule: Kind["rule"],
  expected: Owed[],
  partitions: number,
): Promise<void> {
  const committed = await committedTimes(books, expected, partitions);
  for (const { name, walletId, transferId } of expected) {
    const times = committed.get(transferId) ?? 0;
    if (times === 1) continue;
    const detail = `${name} is ${times} times in the journal of wallet ${String(walletId)}`;
    books.findings.violation(rule, detail);
  }
}

interface Event {
  _id: string;
  endpointIds: unknown;
}

/**
 * Every acknowledged state has its event, and every event has its deliveries while they are kept.
 */
async function verifyDocumentEvents<D extends Document>(
  books: Books,
  { name, expectedEvent }: Kind<D>,
  batch: D[],
  { eventsSince, deliveriesSince }: Against,
): Promise<void> {
  const expected = batch.flatMap((document) =>
    document.states
      .slice(0, document.relayed)
      .map((state, i) => ({ ...state, seq: i + 1, documentId: document._id }))
      .filter(({ seq }) => expectedEvent(document, seq) !== null)
      .map((state) => ({ ...state, id: idAfter(state.documentId, state.seq) })),
  );
  const ids = expected.map(({ id }) => id);
  const stored = await readAll<Event>(books, PHASES.events, ids, select("endpointIds"));
  const present = expected.flatMap(({ id, at }) => {
    const event = stored.get(id);
    return event ? [{ ...event, at }] : [];
  });
  await verifyDelivered(books, present, deliveriesSince);
  const since = eventsSince();
  for (const { documentId, seq, status, at, id } of expected) {
    if (stored.has(id) || at < since) continue;
    books.findings.violation(
      "events",
      `${name} ${documentId} has no event of its state ${seq}, ${status} (${id})`,
    );
  }
}
