// The links that an end user created with its own token: their export and their erasure.

import type { Params, Result } from "../../../shared/contracts/contracts.ts";
import { OUTCOME_WITHIN_MS } from "../../../shared/contracts/payments.ts";
import { LARGE_EXPORTED_AT_MOST } from "../../../shared/contracts/personal-data.ts";
import { erase } from "../../../shared/resumable/erasure.ts";
import { MAJORITY } from "../../../shared/storage/database.ts";
import { newestFirst } from "../../../shared/storage/paging.ts";
import type { BillingDeps } from "../billing/deps.ts";
import type { LinkDeps } from "../links/deps.ts";
import { type LinkModels, linkView } from "../links/links.ts";
import { ERASED_TERMS, paymentErasing } from "./erasure.ts";

type Key = Params<"payment-links.linksOf">;

/** Exports the links of an end user, newest first. */
export async function exportLinks(
  deps: LinkDeps,
  models: LinkModels,
  { businessId, entityId }: Key,
): Promise<Result<"payment-links.linksOf">> {
  const filter = { businessId, createdBy: entityId };
  const { model } = models.payment_links;
  const { documents, nextCursor } = await newestFirst(model, filter, {
    limit: LARGE_EXPORTED_AT_MOST,
  });
  const paymentLinks = await Promise.all(documents.map((link) => linkView(deps, models, link)));
  return { paymentLinks, complete: nextCursor === null };
}

/**
 * Disables the links of an end user and erases their delivery address, data and agent. Payments of
 * other customers at these links keep the customers' data, and lose the agent.
 * @throws UNAVAILABLE if a payment of such a link is under way; a repeat continues
 */
export async function eraseLinks(
  deps: BillingDeps,
  { businessId, entityId }: Key,
): Promise<Result<"payment-links.eraseLinksOf">> {
  const { clock, payments } = deps;
  const { documents: links } = deps.links;
  const theirs = { businessId, createdBy: entityId };
  const found = await links.find(theirs, MAJORITY).toArray();
  const disabledAt = new Date(clock.now());
  await links.updateMany({ ...theirs, disabledAt: null }, { $set: { disabledAt } });
  await links.updateMany(theirs, ERASED_TERMS);
  const since = new Date(disabledAt.getTime() - OUTCOME_WITHIN_MS);
  const wasOpen = found.some(
    ({ terms, expiresAt, disabledAt: at }) =>
      terms.agent !== undefined && (at === null || at > since) && expiresAt > since,
  );
  // A customer's request that read the link before may still store its agent with a payment.
  if (wasOpen) await clock.sleep(OUTCOME_WITHIN_MS);
  const ofPayments = paymentErasing(deps);
  for (const { _id: linkId } of found) {
    for await (const payment of payments.documents.find(
      { linkId, agent: { $exists: true } },
      MAJORITY,
    )) {
      await erase(ofPayments, payment, { agent: undefined });
    }
  }
  // Last, because a request that goes on after an interruption waits again as long as it is there.
  await links.updateMany(theirs, { $unset: { "terms.agent": "" } });
  return { paymentLinks: found.length };
}
