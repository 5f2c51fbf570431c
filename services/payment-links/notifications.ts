// Webhooks of acquirers. A webhook only makes payrail ask the acquirer sooner: its content decides
// nothing, so a forged, repeated or late one moves no money.

import { LATE } from "../../shared/clock.ts";
import type { Params } from "../../shared/contracts/contracts.ts";
import { fail } from "../../shared/errors.ts";
import { nextStepAt, type Resumable } from "../../shared/resumable/document.ts";
import { retryNow } from "../../shared/resumable/retry.ts";
import { MAJORITY } from "../../shared/storage/database.ts";
import { findAcquirer } from "./acquirers/acquirer.ts";
import type { RefundDeps } from "./refunds/deps.ts";

const READ_WITHIN_MS = 2_000;
const IDS_AT_MOST = 100;

/**
 * Takes a webhook. A document that a driver or a waiting customer has in hand is left to them.
 * @throws NOT_FOUND if no such acquirer takes webhooks; VALIDATION if it is not the acquirer's
 */
export async function takeNotification(
  deps: RefundDeps,
  { acquirer: name, headers, body }: Params<"payment-links.acquirerNotified">,
): Promise<void> {
  const acquirer = findAcquirer(deps, name);
  if (!acquirer?.notified || typeof body !== "string") return fail("NOT_FOUND");
  const read = acquirer.notified({ headers, body }).catch((error: unknown) => {
    deps.log.warn("A webhook of an acquirer is refused", { acquirer: name, error });
    return fail("VALIDATION", "The notification is not the acquirer's");
  });
  const ids = await deps.clock.within(read, READ_WITHIN_MS);
  if (ids === LATE || !Array.isArray(ids)) return fail("UNAVAILABLE");
  const keys = ids.filter((id) => typeof id === "string").slice(0, IDS_AT_MOST);
  const isTheirs = { key: { $in: keys }, acquirer: name, nextAttemptAt: { $exists: true } };
  const [payments, refunds] = await Promise.all([
    deps.payments.documents.find(isTheirs, MAJORITY).toArray(),
    deps.refunds.documents.find(isTheirs, MAJORITY).toArray(),
  ]);
  const isOpen = (document: Resumable) => nextStepAt(document) !== undefined;
  const { clock } = deps;
  const [ofPayments, ofRefunds] = [deps.payments.machine, deps.refunds.machine];
  await Promise.all([
    ...payments.filter(isOpen).map((each) => retryNow({ clock, machine: ofPayments }, each)),
    ...refunds.filter(isOpen).map((each) => retryNow({ clock, machine: ofRefunds }, each)),
  ]);
}
