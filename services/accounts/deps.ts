// The dependencies of the accounts' domain, as types: the service gives an Environment, and
// assembly.ts makes the Deps of it. This file imports no assembly, so that every domain file can
// name these types without an import circle.

import type { Logger } from "moleculer";
import type { Model } from "mongoose";
import type { Clock } from "../../shared/clock.ts";
import type { ConfigOf } from "../../shared/config/config.ts";
import type { Records } from "../../shared/storage/records.ts";
import type { ApiClient, Guesses } from "./api-client.model.ts";
import type { ApplicationToken } from "./application-token.model.ts";
import type { AuditEntry } from "./audit-entry.model.ts";
import type { StoredControl } from "./control.model.ts";
import type { Entity } from "./entity.model.ts";
import type { LinkedAccount } from "./linked-account.model.ts";
import type { InsertCounted } from "./lists/counts.ts";
import type { Opener } from "./opening.ts";

/** The collections, as Records (shared/storage/records.ts) or as mongoose models. */
export interface Models {
  entities: Records<Entity>;
  api_clients: Records<ApiClient>;
  application_tokens: Records<ApplicationToken>;
  audit_log: Records<AuditEntry>;
  client_guesses: Model<Guesses>;
  linked_accounts: Model<LinkedAccount>;
  controls: Model<StoredControl>;
}

export interface Environment {
  clock: Clock;
  newId(): string;
  models: Models;
  config: ConfigOf<"accounts">;
  log: Pick<Logger, "warn">;
}

export interface Deps extends Environment {
  opener: Opener;
  /** lists/counts.ts, gathered. */
  insertCounted: InsertCounted;
}
