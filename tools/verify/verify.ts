// Verification: proves the journal by itself, and the documents of every service against the
// journal. The scheduled check and `npm run verify` enter here, with a database user that may only
// read.
//
//   books.ts      the reads, and why traffic beside them raises no false alarm
//   findings.ts   the table of invariants, and the report
//   indexes.ts    the indexes that decide
//   journal/      the blocks, their fold, and the document of every transfer
//   kinds/        the description of each kind of document: transfers, events, contradictions
//   documents/    payouts, payments, refunds, tokens, limits, their owners, drivers and erasures
//   billing/      subscriptions, periods, invoices, renewals, usage and credit
//   events/       webhook events and their deliveries
//
// It reads the collections of all services and writes none. From services/ it imports the ledger's
// models and postings alone (journal.model.ts, transfer.model.ts, postings.ts):
// types, ids, and the hashes of blocks and payloads, because a hash has one definition. The legs of
// a posting and their sums are its own (journal/legs.ts, journal/fold.ts), so that it finds a wrong
// leg of the ledger. No service imports verification.
//
// Memory does not grow with the journal. A change on its way is pending, not wrong. Without a head
// that was kept elsewhere it cannot prove that the newest blocks were not cut off together with
// every document that refers to them, nor that the journal was not replaced from some block on with
// its hashes (docs/operate/verify.md).

import type { Connection } from "mongoose";
import { verifyCredit } from "./billing/credit.ts";
import { verifyHistory } from "./billing/history.ts";
import { verifyInvoices } from "./billing/invoices.ts";
import { verifyPeriods } from "./billing/periods.ts";
import { verifyRenewals } from "./billing/renewals.ts";
import { verifySubscriptions } from "./billing/subscriptions.ts";
import { verifyClosings, verifyUsage } from "./billing/usage.ts";
import { type VerifyOptions, withBooks } from "./books.ts";
import { verifyBatches } from "./documents/batches.ts";
import { verifyDocuments } from "./documents/documents.ts";
import { verifyDriven } from "./documents/driven.ts";
import { verifyErasures } from "./documents/erasures.ts";
import { verifyCounted, verifyLimits } from "./documents/limits.ts";
import { verifyOwners } from "./documents/owners.ts";
import { verifyPayments, verifyRefunds } from "./documents/payments.ts";
import { verifySpending, verifyTokens } from "./documents/tokens.ts";
import { verifyDeliveries } from "./events/deliveries.ts";
import { keptSince, verifyEvents } from "./events/events.ts";
import type { VerifyReport } from "./findings.ts";
import { verifyIndexes } from "./indexes.ts";
import { verifyJournal } from "./journal/journal.ts";
import { verifyPostings } from "./journal/postings.ts";
import { readPending, TRANSFERS, verifyHalves, verifyTransit } from "./journal/transit.ts";
import type { Kind } from "./kinds/kind.ts";
import { KINDS } from "./kinds/kinds.ts";

/** Checks all books of a database: the ledger's, and those of the other services against it. */
export function verify(connection: Connection, options: VerifyOptions = {}): Promise<VerifyReport> {
  return withBooks(connection, options, async (books) => {
    await verifyIndexes(books);
    const onTheWay = await readPending(books);
    const { partitions, transit } = await verifyJournal(books, options.heads, (posted) =>
      verifyPostings(books, posted, onTheWay),
    );
    verifyTransit(books, transit, onTheWay);
    for (const transfer of TRANSFERS) await verifyHalves(books, transfer, partitions);
    const eventsSince = await keptSince(books, "events");
    const deliveriesSince = await keptSince(books, "deliveries");
    const against = { partitions, eventsSince, deliveriesSince };
    const { fundings, adjustments, accountTransfers, walletTransfers } = KINDS;
    for (const kind of [fundings, adjustments, accountTransfers, walletTransfers]) {
      await verifyDocuments(books, kind as Kind, against);
    }
    await verifyDocuments(books, KINDS.payouts, against, async (batch) => {
      await verifySpending(books, batch);
      await verifyCounted(books, batch);
    });
    await verifyLimits(books);
    await verifyBatches(books, options.rails);
    await verifyDocuments(books, KINDS.payments, against, async (batch) => {
      await verifyPayments(books, batch);
      await verifyRenewals(books, batch);
    });
    await verifyDocuments(books, KINDS.refunds, against, (batch) => verifyRefunds(books, batch));
    await verifyDocuments(books, KINDS.subscriptions, against, async (batch) => {
      await verifySubscriptions(books, batch);
      await verifyPeriods(books, batch);
      await verifyClosings(books, batch);
      await verifyCredit(books, batch);
      await verifyHistory(books, batch);
    });
    await verifyDocuments(books, KINDS.invoices, against, (batch) => verifyInvoices(books, batch));
    await verifyUsage(books);
    await verifyEvents(books);
    await verifyDeliveries(books, eventsSince);
    await verifyTokens(books);
    await verifyOwners(books);
    await verifyErasures(books);
    await verifyDriven(books);
  });
}

/** Checks the ledger's own books alone; postings need no documents. */
export function verifyLedger(
  connection: Connection,
  options: VerifyOptions = {},
): Promise<VerifyReport> {
  return withBooks(connection, options, async (books) => {
    await verifyIndexes(books);
    const { transit } = await verifyJournal(books, options.heads, () => Promise.resolve());
    verifyTransit(books, transit, { pending: new Set(), sums: new Map() });
  });
}
