// The dependencies of the webhooks' domain, as types: the service gives an Environment, and
// assembly.ts makes the Deps of it. This file imports no assembly, so that every domain file can
// name these types without an import circle.

import type { Logger } from "moleculer";
import type { Model } from "mongoose";
import type { ConfigOf } from "../../shared/config/config.ts";
import type { Result } from "../../shared/contracts/contracts.ts";
import type { Metrics } from "../../shared/observability/metrics.ts";
import type { Sweep, Turns } from "../../shared/resumable/sweeps.ts";
import type { Records } from "../../shared/storage/records.ts";
import type { Endpoint } from "./endpoints/endpoint.model.ts";
import type { Publishing } from "./events/events.ts";
import type { SwitchOff } from "./events/switch-off.ts";
import type { Resolve } from "./exchange/destination.ts";
import type { Delivery } from "./queue/delivery.model.ts";
import type { Deliverer } from "./queue/delivery.ts";
import type { Sweeper } from "./queue/sweeper.ts";

/** Collections as Records (shared/storage/records.ts) or as mongoose models. */
export interface Models {
  webhook_endpoints: Records<Endpoint>;
  webhook_deliveries: Model<Delivery>;
}

export interface Environment extends Omit<Publishing, "deliverer" | "sweeper"> {
  config: ConfigOf<"webhooks">;
  /** The turns of this process, in intervals of that length. */
  turns(everyMs: number): Turns;
  models: Models;
  /** How host names of destinations are looked up. */
  resolve: Resolve;
  /** Asks the ledger for a signed head. */
  makeHead(businessId: string): Promise<string>;
  log: Pick<Logger, "warn" | "debug">;
  metrics: Metrics;
}

export type EndpointHealth = NonNullable<Result<"webhooks.endpoint">["health"]>;

export interface Deps extends Environment {
  /** Reads how the deliveries to an endpoint go. */
  readHealth(endpoint: Endpoint): Promise<EndpointHealth>;
  deliverer: Deliverer;
  sweeper: Sweeper;
  switchOff: SwitchOff;
  replayer: Pick<Sweep, "wake" | "stop">;
  heads: Pick<Sweep, "stop">;
}
