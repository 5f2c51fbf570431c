// Makes the dependencies of the ledger's actions, once for each process: opens the journal, and
// starts and stops the sweep of pending documents.

import { startSweep } from "../../shared/resumable/sweeps.ts";
import { DEFAULT_BOUNDS } from "./bounds.ts";
import { sweepPending } from "./by-reference.ts";
import type { Deps, Environment } from "./deps.ts";
import { postFunding } from "./fundings.ts";
import { createLedger } from "./ledger.ts";
import { postTransfer } from "./transfers.ts";

/** Opens the journal and starts the sweep. */
export async function createDeps(environment: Environment): Promise<Deps> {
  const { clock, turns, models, log, metrics } = environment;
  const warn = (problem: string, error: unknown) => log.warn(problem, error);
  const ledger = await createLedger(environment, clock, warn, DEFAULT_BOUNDS, metrics);
  const deps: Deps = {
    ...environment,
    ledger,
    sweep: startSweep({ clock, turns, round, onError: (error) => warn("A sweep failed", error) }),
  };

  async function round(): Promise<number | undefined> {
    const ofFundings = await sweepPending(clock, models.ledger_fundings, (funding) =>
      postFunding(deps, funding),
    );
    const ofTransfers = await sweepPending(clock, models.ledger_transfers, (document) =>
      postTransfer(deps, document),
    );
    const left = [ofFundings, ofTransfers].filter((at) => at !== undefined);
    return left.length > 0 ? Math.min(...left) : undefined;
  }

  return deps;
}

export async function stopDeps({ sweep, ledger }: Deps): Promise<void> {
  await sweep.stop();
  await ledger.stop();
}
