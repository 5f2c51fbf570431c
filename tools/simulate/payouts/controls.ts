// A model of the operator's controls: stops, and limits of what is paid out. Each node knows a
// change a little later than the operator's answer.

import type { Payout } from "../../../services/payouts/payout.model.ts";
import type { PayoutLimit } from "../../../shared/contracts/controls.ts";
import type { ErrorType } from "../../../shared/errors.ts";
import type { Controls } from "../../../shared/rpc/controls.ts";
import { BUSINESS } from "./accounts.ts";
import { catchRefusal } from "./network.ts";

/** Every node knows a change by then. */
export const KNOWN_WITHIN_MS = 1_000;

export interface ControlsModel {
  /** Stops or releases a business, a wallet or a person. */
  stop(id: string, isStopped: boolean): void;
  limit(limits: PayoutLimit[]): void;
  /** Releases everything. */
  heal(): void;
  /** What a node knows. */
  knownAfter(lateMs: number): Controls;
  /** Whether every node knows of a stop of the payout. */
  isStopped(payout: Payout): boolean;
}

/** A value, and since when it holds; the oldest first. */
type History<T> = { at: number; value: T }[];

/** @param onReleased is called when a stop ends */
export function createControls(
  now: () => number,
  limits: PayoutLimit[],
  onReleased: () => void,
): ControlsModel {
  const stops = new Map<string, History<boolean>>();
  const limited: History<PayoutLimit[]> = [{ at: 0, value: limits }];

  const lastBefore = <T>(history: History<T>, at: number) =>
    history.findLast((change) => change.at <= at);

  function stop(id: string, isStopped: boolean): void {
    const history = stops.get(id) ?? [];
    stops.set(id, [...history, { at: now(), value: isStopped }]);
    if (!isStopped) onReleased();
  }

  function idsOf({ businessId, walletId, entityId, payeeId }: Partial<Payout>): string[] {
    return [businessId, entityId, walletId, payeeId].filter((id) => id !== undefined);
  }

  return {
    stop,
    limit(value) {
      limited.push({ at: now(), value: value.map((limit) => ({ ...limit, since: now() })) });
    },
    heal() {
      for (const id of stops.keys()) stop(id, false);
    },
    knownAfter(lateMs) {
      const isStopped = (id: string) => lastBefore(stops.get(id) ?? [], now() - lateMs)?.value;
      function find(_what: unknown, subject: Partial<Payout>): ErrorType | null {
        const id = idsOf(subject).find(isStopped);
        if (id === undefined) return null;
        return id === BUSINESS ? "PAYOUTS_PAUSED" : "WALLET_FROZEN";
      }
      const limitsOf = () => lastBefore(limited, now() - lateMs)?.value ?? [];
      return {
        find,
        known: async () => {},
        async refuse(what, subject) {
          const refused = find(what, subject);
          if (refused) throw catchRefusal(refused);
        },
        isQuiet: () => false,
        isFrozen: (id) => isStopped(id) ?? false,
        limitsOf,
        lastLimitsOf: limitsOf,
        stop: async () => {},
      };
    },
    isStopped: (payout) =>
      idsOf(payout).some((id) => {
        const last = lastBefore(stops.get(id) ?? [], now());
        return last?.value === true && last.at <= now() - KNOWN_WITHIN_MS;
      }),
  };
}
