// Verification: proves the books from the journal alone, and everything else against the journal. The
// invariants, each a rule of findings.ts:
//  - legs of every transfer sum to zero per currency; all accounts sum to zero   sums, declines
//  - fold(blocks) equals checkpoint + tail                     checkpoints, watermarks, balances
//  - no wallet below zero                                                                 funds
//  - n contiguous; hashes link; ids unique                          numbers, links, hashes, ids
//  - a wallet's statement is the chain of its blocks, and its accounts are there
//                                                                          statements, accounts
//  - transit over all partitions equals the transfers on their way                      transit
//  - every transfer has the document that it is for, and moves what that says; every funding that
//    succeeded has its transfer                                              postings, fundings
//  - every payout with a debit has exactly one, every FAILED exactly one reversal, every SUCCESS
//    none; likewise payments and refunds; a state is what was entered
//                                                           payouts, payments, refunds, states
//  - payments are in their links' numbers, what is paid once is held by one payment, and what is
//    refunded of a payment is the sum of its refunds                            holds, refunded
//  - a subscription's periods are billed without a hole, each from where to where its anchor says;
//    it is driven, and has a method to charge; an invoice is the sum of its lines, and paid by one
//    payment, which charges what it says                          billing, invoices, renewals
//  - a log of usage has no gap, what a period is closed with is the sum of its reports, and its
//    invoice bills that                                                                  usage
//  - what an invoice carries to the next one, that begins with                          credit
//  - every visible change has its webhook event, within the events' retention            events
//  - an event has its deliveries, and the fields of each fit its state               deliveries
//  - a driver finds every document that has not ended, in time                           driven
//  - a document and its owners agree                                                     owners
//  - an application token is spent by the payout that it allowed, and stays spent         tokens
//  - the indexes that decide, and those that sweepers need, are there whole             indexes
// It writes nothing and streams: memory is flat in the length of the journal. It may run beside live
// traffic (books.ts says why that gives no false alarms); what is on its way is pending, not
// wrong. What it cannot prove: that nobody has cut the newest blocks off together with everything
// that speaks of them, nor replaced the whole journal from some block on, hashes and all.

import type { Connection } from "mongoose";
import { verifyCredit } from "./billing/credit.ts";
import { verifyHistory } from "./billing/history.ts";
import { verifyInvoices } from "./billing/invoices.ts";
import { verifyPeriods } from "./billing/periods.ts";
import { verifyRenewals } from "./billing/renewals.ts";
import { verifySubscriptions } from "./billing/subscriptions.ts";
import { verifyClosings, verifyUsage } from "./billing/usage.ts";
import { type VerifyOptions, withBooks } from "./books.ts";
import { verifyDocuments, verifyFundings } from "./documents/documents.ts";
import { verifyDriven } from "./documents/driven.ts";
import { verifyOwners } from "./documents/owners.ts";
import { verifyPayments, verifyRefunds } from "./documents/payments.ts";
import { verifySpending, verifyTokens } from "./documents/tokens.ts";
import { verifyDeliveries } from "./events/deliveries.ts";
import { keptSince, verifyEvents } from "./events/events.ts";
import type { VerifyReport } from "./findings.ts";
import { verifyIndexes } from "./indexes.ts";
import { verifyJournal } from "./journal/journal.ts";
import { verifyPostings } from "./journal/postings.ts";
import { readPending, verifyAccountTransfers, verifyTransit } from "./journal/transit.ts";
import { KINDS } from "./kinds/kinds.ts";

/** Checks all books of a database: the ledger's, and those of the other services against it. */
export function verify(connection: Connection, options: VerifyOptions = {}): Promise<VerifyReport> {
  return withBooks(connection, options, async (books) => {
    await verifyIndexes(books);
    const onTheWay = await readPending(books);
    const { partitions, transit } = await verifyJournal(books, (posted) =>
      verifyPostings(books, posted, onTheWay),
    );
    verifyTransit(books, transit, onTheWay);
    await verifyFundings(books, partitions);
    await verifyAccountTransfers(books, partitions);
    const eventsSince = await keptSince(books, "events");
    const deliveriesSince = await keptSince(books, "deliveries");
    const against = { partitions, eventsSince, deliveriesSince };
    await verifyDocuments(books, KINDS.payouts, against, (batch) => verifySpending(books, batch));
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
    await verifyDriven(books);
  });
}

/** Checks the ledger's own books alone, whoever posted what is in them. */
export function verifyLedger(
  connection: Connection,
  options: VerifyOptions = {},
): Promise<VerifyReport> {
  return withBooks(connection, options, async (books) => {
    await verifyIndexes(books);
    const { transit } = await verifyJournal(books, () => Promise.resolve());
    verifyTransit(books, transit, { pending: new Set(), sums: new Map() });
  });
}
