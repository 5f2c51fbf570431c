// Makes the dependencies of the ledger's actions, once for each process: opens the journal, and
// starts and stops the drivers of the requests.

import { startSweep } from "../../shared/resumable/sweeps.ts";
import { adjustmentKind } from "./adjustments.ts";
import { DEFAULT_BOUNDS } from "./bounds.ts";
import { createRequests } from "./by-reference.ts";
import type { Deps, Environment } from "./deps.ts";
import { adoptLeft } from "./earlier-requests.ts";
import { fundingKind } from "./fundings.ts";
import { createLedger } from "./ledger.ts";
import { watchBalances } from "./low-balance.ts";
import { transferKind } from "./transfers.ts";
import { walletTransferKind } from "./wallet-transfers.ts";

/** How long a stop waits for the requests under way. */
const DRAINED_WITHIN_MS = 10_000;

/** Opens the journal and starts the drivers. */
export async function createDeps(environment: Environment): Promise<Deps> {
  const { clock, turns, collection, log, metrics } = environment;
  const warn = (problem: string, error: unknown) => log.warn(problem, error);
  const ledger = await createLedger(environment, clock, warn, DEFAULT_BOUNDS, metrics);
  const parts = { ...environment, post: ledger.log.post };
  const fundings = collection("ledger_fundings");
  const transfers = collection("ledger_transfers");
  const adjustments = collection("ledger_adjustments");
  const walletTransfers = collection("ledger_wallet_transfers");

  async function round(): Promise<number | undefined> {
    const left = [await adoptLeft(fundings, clock), await adoptLeft(transfers, clock)];
    const moments = left.filter((at) => at !== undefined);
    return moments.length > 0 ? Math.min(...moments) : undefined;
  }

  const deps: Deps = {
    ...environment,
    ledger,
    requests: {
      fundings: createRequests(parts, { ...fundingKind, documents: fundings }),
      adjustments: createRequests(parts, { ...adjustmentKind, documents: adjustments }),
      transfers: createRequests(parts, { ...transferKind, documents: transfers }),
      walletTransfers: createRequests(parts, { ...walletTransferKind, documents: walletTransfers }),
    },
    lowBalances: watchBalances(environment, ledger),
    sweep: startSweep({ clock, turns, round, onError: (error) => warn("A sweep failed", error) }),
  };
  for (const { machine } of Object.values(deps.requests)) machine.start();
  return deps;
}

export async function stopDeps(deps: Deps): Promise<void> {
  const { sweep, lowBalances, controls, requests, ledger } = deps;
  await Promise.all([sweep.stop(), lowBalances.stop(), controls.stop()]);
  await Promise.all(Object.values(requests).map(({ machine }) => machine.stop(DRAINED_WITHIN_MS)));
  await ledger.stop();
}
