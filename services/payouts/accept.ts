// Accepts the payout of a waiting request, for every route that makes one: first the answer that the
// request repeats, then the limits, the rules of the route, the insert and the debit. A payout is
// stored whole before its debit is posted, and the ledger's commit accepts it (accepted.ts): two
// durable writes come before the answer. While too many payouts of this process are not submitted, a
// new one waits for its turn before anything is stored (admission.ts). Past the deadline of a request
// nothing is inserted or posted, because no caller waits; the sweeper voids a begun payout.

import { LATE } from "../../shared/clock.ts";
import type { Config } from "../../shared/config/config.ts";
import { POSTED_WITHIN_MS, WAY_BACK_MS } from "../../shared/contracts/contract.ts";
import { errorType, fail } from "../../shared/errors.ts";
import { wholeFields } from "./accepted.ts";
import { DECLINED_AS, debit, decline, failUnknown, releaseToken } from "./debit.ts";
import type { Deps } from "./deps.ts";
import { failRunning, findRepeated, type Identity, identityFields } from "./idempotency.ts";
import { candidateSlots, failLimited, type LimitUse, type Slot } from "./limits.ts";
import type { Payout } from "./payout.model.ts";
import {
  choosePayoutMethod,
  newPayout,
  type PaidDestination,
  type PayoutRequest,
  voidedAt,
} from "./request.ts";

/** What a waiting caller asks for. */
export interface Order {
  /** Epoch ms until which the caller waits. */
  deadline?: number;
  limits: Pick<Config, "withdrawalLimit" | "declineLimit">;
  /** Reads how much of the limits is used. */
  readUse(): Promise<LimitUse>;
  /** What makes the request a repeat of an earlier one. */
  identify(): Promise<Identity>;
  /** Throws what stops the actor from any payout; repeats get their answer all the same. */
  permit(): Promise<void>;
  /** Finds what is paid and debited. It refuses only after the repeats and the limits. */
  find(): Promise<Found>;
}

interface Found {
  request: PayoutRequest;
  destination: PaidDestination;
  /** Of the application token that the payout spends. */
  tokenHash?: string;
}

interface Accepted {
  payout: Payout;
  use: LimitUse;
}

/**
 * Makes and debits the payout of an order, or finds the accepted one that it repeats.
 * @throws the errors of the order and of the debit; UNAVAILABLE if nothing was or will be taken;
 *   OUTCOME_UNKNOWN if that is not known in time
 */
export async function accept(deps: Deps, order: Order): Promise<Accepted> {
  const now = deps.clock.now();
  const within = (order.deadline ?? Number.POSITIVE_INFINITY) - now - WAY_BACK_MS;
  const deadline = now + Math.min(within, POSTED_WITHIN_MS);
  const progress: Progress = { id: deps.newId(), begun: false };
  try {
    const work = run(deps, order, deadline, progress);
    const result = await deps.clock.within(work, deadline - now);
    if (result !== LATE) return result;
  } catch (error) {
    if (errorType(error)) throw error;
    deps.log.error("A withdrawal failed", error);
  }
  return progress.begun ? failUnknown({ _id: progress.id }) : fail("UNAVAILABLE");
}

interface Progress {
  /** The id of the new payout. */
  id: string;
  /** Whether the payout may be stored. */
  begun: boolean;
}

async function run(
  deps: Deps,
  order: Order,
  deadline: number,
  progress: Progress,
): Promise<Accepted> {
  const { id } = progress;
  const reading = Promise.all([order.readUse(), order.identify()]);
  const finding = order.find();
  // It is awaited after the repeats and the limits.
  finding.catch(() => {});
  const [use, identity] = await reading;
  // The limits are read before the key, so that a repeat finds the payout of a concurrent request
  // with the same key that has just filled the limit.
  const first = await findRepeated(deps, identity);
  if (first) return { payout: first, use };
  await order.permit();
  const places = candidateSlots(use, order.limits, id, deps.clock.now());
  const { request, destination, tokenHash } = await finding;
  // The claim of an application token finds the wallet that is debited, and looks at that one.
  await refuseStopped(
    deps,
    destination,
    tokenHash === undefined ? destination.walletId : undefined,
  );
  const method = choosePayoutMethod(destination.optionType, request.routingType);
  // An accepted payout would wait, debited, for a rail or a key that may never be configured.
  const rail = deps.rails.forMethod[method];
  if (!rail || destination.unreadable) return fail("UNAVAILABLE");

  // The second half of the time is for the withdrawal itself.
  const waitsMs = (deadline - deps.clock.now()) / 2;
  return deps.admission.admit(rail.name, waitsMs, async () => {
    const made = newPayout(deps.config, id, request, destination, { method, deadline });
    // A token is judged before the limits.
    if (tokenHash === undefined) deps.limits.refuseAlone(made);
    const counted = deps.limits.countersOf(made);
    const payout: Payout = {
      ...made,
      ...identityFields(identity),
      ...(counted.length > 0 && { counted }),
      ...(tokenHash === undefined ? wholeFields(deps, made) : { tokenHash }),
    };
    const placed = await insert(deps, payout, { places, use, identity, ...order }, progress);
    // Another request with the same key or reference has inserted its payout first.
    if (placed._id !== id) return { payout: placed, use };
    await deps.reached("inserted", placed);
    return { payout: await debit(deps, await count(deps, await claim(deps, placed))), use };
  });
}

/** @throws what stops payouts from the wallet, of its owner, or to the account's owner */
async function refuseStopped(
  { controls }: Deps,
  { businessId, entityId, payeeId }: PaidDestination,
  walletId: string | undefined,
): Promise<void> {
  await controls.refuse("payout", { businessId, entityId, walletId });
  if (payeeId !== undefined) await controls.refuse("payout", { businessId, entityId: payeeId });
}

interface Placing extends Pick<Order, "limits"> {
  places: Slot[];
  use: LimitUse;
  identity: Identity;
}

/**
 * Inserts the payout in the first place of the rate limit that is still free.
 * @returns the inserted payout, or the accepted one that the request repeats
 */
async function insert(
  deps: Deps,
  payout: Payout,
  { places, use, identity, limits: { withdrawalLimit } }: Placing,
  progress: Progress,
): Promise<Payout> {
  for (const { slot, evict } of places) {
    const placed = { ...payout, ...(slot !== undefined && { slot }) };
    progress.begun = true;
    // After an insert of unknown outcome the request stops, and the sweeper voids a stored payout.
    const inserting = deps.insert({ payout: placed, evict }).catch(() => fail("UNAVAILABLE"));
    if ((await inserting) === "inserted") return placed;
    // It is certain that this payout is not stored.
    progress.begun = false;
    const first = await findRepeated(deps, identity);
    if (first) return first;
  }
  if (!withdrawalLimit) return failRunning(identity.key ? "Idempotency-Key" : "reference");
  return failLimited(use.holders, withdrawalLimit, deps.clock.now());
}

/** The reasons why accounts refuses an application token. */
const REFUSED_TOKENS = ["token", "amount"] as const;

/**
 * Spends the application token, if there is one, and fixes the wallet that is debited. Nothing is
 * posted before the wallet is stored, so that an id is never posted to two wallets.
 */
async function claim(deps: Deps, payout: Payout): Promise<Payout> {
  const { _id: payoutId, tokenHash, entityId, currency, amountMinor } = payout;
  if (tokenHash === undefined) return payout;
  let walletId: string;
  try {
    const terms = { tokenHash, payoutId, entityId, currency, amountMinor };
    walletId = (await deps.services.claimToken(terms)).walletId ?? payout.walletId;
  } catch (error) {
    const declined = REFUSED_TOKENS.find((reason) => DECLINED_AS[reason] === errorType(error));
    // If the outcome is unknown, the sweeper releases the token: nothing is posted from here on.
    if (!declined) return fail("UNAVAILABLE");
    return decline(deps, payout, declined);
  }
  await deps.reached("token-claimed", payout);
  if (deps.controls.find("payout", { businessId: payout.businessId, walletId })) {
    await releaseToken(deps, payout).catch(() => fail("UNAVAILABLE"));
    return decline(deps, payout, "frozen");
  }
  const claimed = await deps.machine.transition(payout, {
    set: { ...wholeFields(deps, payout), walletId },
    next: Math.max(0, voidedAt(payout) - deps.clock.now()),
  });
  return claimed ?? fail("UNAVAILABLE");
}

/**
 * Counts the payout for the limits that it is under, and stores that it is counted, before its debit.
 * @throws LIMIT_EXCEEDED, and then the payout is declined
 */
async function count(deps: Deps, payout: Payout): Promise<Payout> {
  if (payout.counted === undefined && payout.tokenHash === undefined) return payout;
  let names: string[];
  try {
    names = await deps.limits.count(payout);
  } catch (error) {
    // If it is unknown whether it is counted, the sweeper gives it back.
    if (errorType(error) !== "LIMIT_EXCEEDED") return fail("UNAVAILABLE");
    await decline(deps, payout, "limit").catch((declined) => {
      if (errorType(declined) !== "LIMIT_EXCEEDED") throw declined;
    });
    // It says which limit.
    throw error;
  }
  if (payout.counted === undefined) return payout;
  const set = { counted: names, isCounted: true };
  const counted = await deps.machine.transition(payout, { set, next: "same" });
  if (!counted) return fail("UNAVAILABLE");
  deps.limits.isStored(counted);
  return counted;
}
