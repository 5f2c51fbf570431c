// Limits of what is paid out: of one payout, and of the payouts of a day or a month (UTC), by amount,
// by number or both, of a business or of each owner of a wallet. The operator and the merchant each
// set theirs, and both hold.
//
// A payout is counted before its debit, and given back once if it is declined, cancelled or fails; a
// return after SUCCESS gives nothing back. Invariant: counted payouts never exceed a limit that every
// process knows, and no payout is counted or given back twice, whatever dies:
//  - a counter decides and changes in one compare-and-set (limit-counters.ts);
//  - the payout is stored with the names of its counters before it is counted, so whoever ends it
//    gives it back;
//  - a payout that was given back is marked until it says so itself, so a request that comes late
//    does not count it.
// A business without limits is never asked about.

import type { Clock } from "../../shared/clock.ts";
import type { Result } from "../../shared/contracts/contracts.ts";
import type { PayoutLimit, PayoutLimitUse } from "../../shared/contracts/controls.ts";
import { fail } from "../../shared/errors.ts";
import { creationTime } from "../../shared/ids.ts";
import { toDecimal } from "../../shared/money.ts";
import type { Controls } from "../../shared/rpc/controls.ts";
import {
  type Counting,
  countingFor,
  type GivenBack,
  isWindowOver,
  type LimitCounters,
  maxMinorOf,
  type Reached,
  windowAt,
} from "./limit-counters.ts";
import type { Payout } from "./payout.model.ts";

export interface PayoutLimits {
  /** @throws LIMIT_EXCEEDED if the payout alone is above a limit */
  refuseAlone(payout: Payout): void;
  /** The names of the counters of a new payout; none without limits. */
  countersOf(payout: Payout): string[];
  /**
   * Counts a stored payout.
   * @returns the counters that count it, without those of limits that were lifted meanwhile
   * @throws LIMIT_EXCEEDED, and then nothing is counted
   */
  count(payout: Payout): Promise<string[]>;
  /** It is stored that the payout is counted, or that it has ended without a payment. */
  isStored(payout: Payout): void;
  /** Gives a payout back that is not paid; a repeat changes nothing. */
  giveBack(payout: Payout): Promise<void>;
  /** What the limits of a business and one of its owners of wallets leave. */
  use(owner: Pick<Payout, "businessId" | "entityId">): Promise<Result<"payouts.withdrawalLimits">>;
}

export function createPayoutLimits(
  counters: LimitCounters,
  controls: Pick<Controls, "known" | "limitsOf" | "lastLimitsOf">,
  clock: Clock,
): PayoutLimits {
  const limitsOn = ({ businessId, currency, method }: Payout, of = controls.limitsOf) =>
    of(businessId).filter(
      (limit) => limit.currency === currency && (limit.method ?? method) === method,
    );

  /** The counters of a payout, each with the limits that it serves. */
  function group(payout: Payout, of = controls.limitsOf): Map<string, Counting> {
    const groups = new Map<string, Counting>();
    for (const limit of limitsOn(payout, of).toSorted(narrowFirst)) {
      const counting = countingFor(limit, payout, creationTime(payout._id));
      if (!counting) continue;
      const { limits = [] } = groups.get(counting.counterId) ?? {};
      groups.set(counting.counterId, { ...counting, limits: [...limits, limit] });
    }
    return groups;
  }

  /** The counters that a payout names, and those of limits that were made after it. */
  function countersThatHave(payout: Payout): Map<string, GivenBack> {
    const { counted = [], isCounted, visible } = payout;
    const later = visible ? [...group(payout, controls.lastLimitsOf).keys()] : [];
    return new Map([
      ...later.map((each) => [each, "in base"] as const),
      ...counted.map((each) => [each, isCounted ? "counted" : "not counted"] as const),
    ]);
  }

  function refuseAlone(payout: Payout): void {
    for (const limit of limitsOn(payout)) {
      const isAbove = payout.amountMinor > maxMinorOf(limit);
      if (limit.per === "payout" && isAbove) {
        failExceeded({ limit, usedMinor: 0, count: 0, by: "amount" }, null);
      }
    }
  }

  return {
    refuseAlone,
    countersOf: (payout) => [...group(payout).keys()],

    async count(payout) {
      refuseAlone(payout);
      const { _id: payoutId, amountMinor, counted = [] } = payout;
      const groups = group(payout);
      const begun: string[] = [];
      for (const counterId of counted) {
        const counting = groups.get(counterId);
        if (!counting) continue;
        const reached = await counters.count(counting, { payoutId, amountMinor });
        if (reached) {
          for (const each of begun) {
            await counters.giveBack(each, { payoutId, amountMinor }, "not counted");
          }
          failExceeded(reached, counting.window.to);
        }
        begun.push(counterId);
      }
      return begun;
    },

    isStored(payout) {
      const { _id, step, status, counted = [] } = payout;
      const hasEnded = step === "declined" || status === "FAILED";
      const changed = hasEnded ? countersThatHave(payout).keys() : counted;
      for (const each of changed) counters.forget(each, _id, hasEnded ? "out" : "in");
    },

    async giveBack(payout) {
      const { _id: payoutId, amountMinor } = payout;
      for (const [counterId, was] of countersThatHave(payout)) {
        if (isWindowOver(counterId, clock.now())) continue;
        await counters.giveBack(counterId, { payoutId, amountMinor }, was);
      }
    },

    async use(owner) {
      await controls.known();
      const now = clock.now();
      const uses = controls.limitsOf(owner.businessId).map(async (limit) => {
        const counting = countingFor(limit, owner, now);
        const used = counting ? await counters.read(counting) : { usedMinor: 0, count: 0 };
        const resetsAt = limit.per === "payout" ? null : windowAt(limit.per, now).to;
        return measuresOf(limit).map((by) => showLeft({ limit, ...used, by }, resetsAt));
      });
      return (await Promise.all(uses)).flat();
    },
  };
}

/**
 * Puts the limits of a person before those of the business: a payout that the person's limit refuses
 * takes nothing of the business's meanwhile, which others may need.
 */
function narrowFirst(one: PayoutLimit, other: PayoutLimit): number {
  return Number(one.scope === "business") - Number(other.scope === "business");
}

function measuresOf({ amount, count }: PayoutLimit): Reached["by"][] {
  return [
    ...(amount === undefined ? [] : ["amount" as const]),
    ...(count === undefined ? [] : ["count" as const]),
  ];
}

/** @param to the end of the window; epoch ms */
function showUse({ limit, usedMinor, count, by }: Reached, to: number | null): PayoutLimitUse {
  const { scope, method = null, currency, per } = limit;
  const isAmount = by === "amount";
  return {
    scope,
    method,
    currency,
    per,
    max: isAmount ? toDecimal(maxMinorOf(limit)) : (limit.count as number),
    used: isAmount ? toDecimal(usedMinor) : count,
    resetsAt: to === null ? null : new Date(to).toISOString(),
  };
}

/** Nothing is left of a limit that was made or lowered below what is used. */
function showLeft(reached: Reached, to: number | null) {
  const { limit, usedMinor, count, by } = reached;
  const left =
    by === "amount"
      ? toDecimal(Math.max(0, maxMinorOf(limit) - usedMinor))
      : Math.max(0, (limit.count as number) - count);
  return { ...showUse(reached, to), left };
}

function failExceeded(reached: Reached, to: number | null): never {
  return fail("LIMIT_EXCEEDED", undefined, { limit: showUse(reached, to) });
}
