// The services by name, callees before callers: started in this order, stopped in reverse.

import type { ServiceSchema } from "moleculer";
import type { Config } from "../../shared/env.ts";

export const SERVICE_NAMES = [
  "accounts",
  "wallet-ledger",
  "webhooks",
  "payouts",
  "payment-links",
  "gateway",
] as const;

export type ServiceName = (typeof SERVICE_NAMES)[number];

/** Loads the schema of one service, and no code of the others. */
export async function loadService(name: ServiceName, config: Config): Promise<ServiceSchema> {
  const module: { default: (config: Config) => ServiceSchema } = await import(
    `../../services/${name}/${name}.service.ts`
  );
  return module.default(config);
}
