// The dependencies of the ledger's actions, as types: the service gives an Environment, and
// assembly.ts makes the Deps of it. This file imports no assembly, so that every domain file can
// name these types without an import circle. The journal's own parts are made by ledger.ts.

import type { Connection, Model } from "mongoose";
import type { ConfigOf } from "../../shared/config/config.ts";
import type { Sweep } from "../../shared/resumable/sweeps.ts";
import type { Controls } from "../../shared/rpc/controls.ts";
import type { Database } from "../../shared/storage/database.ts";
import type { Adjustment } from "./adjustment.model.ts";
import type { RequestParts, Requests } from "./by-reference.ts";
import type { Funding } from "./funding.model.ts";
import type { Account } from "./journal.model.ts";
import type { Ledger } from "./ledger.ts";
import type { schemas } from "./schemas.ts";
import type { AccountTransfer } from "./transfer.model.ts";
import type { Verification } from "./verification.model.ts";
import type { WalletTransfer } from "./wallet-transfer.model.ts";

export interface Models {
  ledger_accounts: Model<Account>;
  ledger_fundings: Model<Funding>;
  ledger_adjustments: Model<Adjustment>;
  ledger_transfers: Model<AccountTransfer>;
  ledger_wallet_transfers: Model<WalletTransfer>;
  verifications: Model<Verification>;
}

export interface Environment extends RequestParts {
  connection: Connection;
  models: Models;
  collection: Database<typeof schemas>["collection"];
  config: ConfigOf<"wallet-ledger">;
  controls: Controls;
}

export interface Deps extends Environment {
  ledger: Ledger;
  requests: {
    fundings: Requests<Funding>;
    adjustments: Requests<Adjustment>;
    transfers: Requests<AccountTransfer>;
    walletTransfers: Requests<WalletTransfer>;
  };
  /** Tells of balances that have fallen below their mark. */
  lowBalances: Sweep;
  /** Adopts the requests that processes of the previous release have left. */
  sweep: Sweep;
}
