// The erasure of an end user's personal data in its payouts, and in those of other wallets to its
// accounts: the last digits and the fingerprint of the destination, and the reason, the notice, the
// problem, the metadata and the reasons of the screening, which are free texts. Ids, amounts,
// references and states stay. A payout that has ended needs no data of its account, even if the
// bank returns it late.

import type { mongo } from "mongoose";
import { CLOCKS_DIFFER_BY_MS } from "../../shared/clock.ts";
import type { Params, Result } from "../../shared/contracts/contracts.ts";
import { LEASE_MS } from "../../shared/resumable/change.ts";
import { ASK_AT_LATEST_MS } from "../../shared/resumable/document.ts";
import { type Erasing, erase, type Revise } from "../../shared/resumable/erasure.ts";
import { DUE_INDEX } from "../../shared/resumable/schema.ts";
import { MAJORITY } from "../../shared/storage/database.ts";
import { ERASED, ERASED_DIGITS } from "../../shared/storage/erased.ts";
import type { Deps } from "./deps.ts";
import { toWebhookPayload } from "./payload.ts";
import { DECLINES, EVERY_STATUS, OWN, type Payout, type Step, TO_PAYEE } from "./payout.model.ts";

type Key = Params<"payouts.eraseEntity">;

/** The steps of an accepted payout after its end. */
const ENDED: Step[] = ["watch", "closed"];

/** The sweeper drives every payout that is not visible yet within this time. */
const DRIVEN_WITHIN_MS = ASK_AT_LATEST_MS + LEASE_MS + CLOCKS_DIFFER_BY_MS;

/**
 * Counts the payouts of an end user that have not ended, or that need attention. The index over
 * `nextAttemptAt` finds those that are not visible yet, because each of them has that time. They
 * come first, because they become visible meanwhile.
 */
export async function countOpen(
  { payouts, clock }: Pick<Deps, "payouts" | "clock">,
  { businessId, entityId }: Key,
): Promise<Result<"payouts.countOpen">> {
  const isUnderWay = { $or: [{ step: { $nin: ENDED } }, { needsAttention: true }] };
  const begun = await payouts.countDocuments(
    {
      nextAttemptAt: { $lte: clock.now() + DRIVEN_WITHIN_MS },
      $or: [{ entityId }, { payeeId: entityId }],
      visible: false,
    },
    { ...MAJORITY, hint: DUE_INDEX },
  );
  const shown = await payouts.countDocuments(
    { ...visibleOf({ businessId, entityId }), ...isUnderWay },
    { ...MAJORITY, hint: OWN },
  );
  const received = await payouts.countDocuments(
    { payeeId: entityId, visible: true, ...isUnderWay },
    { ...MAJORITY, hint: TO_PAYEE },
  );
  return { open: shown + received + begun };
}

/** The payouts of an end user that are accepted, or that the ledger may accept. */
const visibleOf = (key: Key) => ({ ...key, status: EVERY_STATUS, visible: true });

/**
 * Erases the personal data in all payouts of an end user, also in declined ones.
 * @throws UNAVAILABLE if webhooks does not have all of their events yet; a repeat continues
 */
export async function eraseEntity(
  { payouts, clock, machine }: Deps,
  { businessId, entityId }: Key,
  revise: Revise,
): Promise<Result<"payouts.eraseEntity">> {
  const erasing: Erasing<Payout> = {
    clock,
    documents: payouts,
    transitionAlone: machine.transitionAlone,
    outlet: { toEvent: (payout, status, at) => ({ body: toWebhookPayload(payout, status, at) }) },
    revise,
  };
  const set = {
    lastFour: ERASED_DIGITS,
    fingerprint: undefined,
    reason: ERASED,
    notice: undefined,
    problem: undefined,
    // Without the key a repeat of the request finds no linked account, so it withdraws nothing.
    idempotencyKey: undefined,
    merchantKey: undefined,
    requestHash: undefined,
    // The reference stays, so that it pays nobody else; without its terms every request differs.
    termsHash: undefined,
    metadata: undefined,
  };
  const lists: [mongo.Filter<Payout>, mongo.FindOptions["hint"]][] = [
    [visibleOf({ businessId, entityId }), OWN],
    [{ entityId, declined: { $exists: true } }, DECLINES],
    [{ payeeId: entityId }, TO_PAYEE],
  ];
  let count = 0;
  for (const [list, hint] of lists) {
    const reading = { ...MAJORITY, hint };
    // Each change erases all fields of a payout, so a repeat continues with the other payouts.
    const rest = { ...list, lastFour: { $ne: ERASED_DIGITS } };
    for await (const payout of payouts.find(rest, reading)) {
      const verdicts = payout.verdicts?.map((verdict) => ({ ...verdict, reasons: [ERASED] }));
      await erase(erasing, payout, { ...set, verdicts });
    }
    count += await payouts.countDocuments(list, reading);
  }
  return { payouts: count };
}
