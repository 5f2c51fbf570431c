// The dependencies of the ledger's actions, as types: the service gives an Environment, and
// assembly.ts makes the Deps of it. This file imports no assembly, so that every domain file can
// name these types without an import circle. The journal's own parts are made by ledger.ts.

import type { Logger } from "moleculer";
import type { Connection, Model } from "mongoose";
import type { Clock } from "../../shared/clock.ts";
import type { ConfigOf } from "../../shared/config/config.ts";
import type { Metrics } from "../../shared/observability/metrics.ts";
import type { Sweep, Turns } from "../../shared/resumable/sweeps.ts";
import type { Funding } from "./funding.model.ts";
import type { Account } from "./journal.model.ts";
import type { Ledger } from "./ledger.ts";
import type { AccountTransfer } from "./transfer.model.ts";
import type { Verification } from "./verification.model.ts";

export interface Models {
  ledger_accounts: Model<Account>;
  ledger_fundings: Model<Funding>;
  ledger_transfers: Model<AccountTransfer>;
  verifications: Model<Verification>;
}

export interface Environment {
  clock: Clock;
  turns: Turns;
  newId(): string;
  connection: Connection;
  models: Models;
  config: ConfigOf<"wallet-ledger">;
  log: Pick<Logger, "warn">;
  metrics: Metrics;
  /** Called between the two halves of a transfer; in production it does nothing. */
  reached(point: "transfer-out-posted", document: AccountTransfer): void;
}

export interface Deps extends Environment {
  ledger: Ledger;
  /** Settles the pending fundings and transfers of processes that died. */
  sweep: Sweep;
}
