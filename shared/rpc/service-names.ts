// The services by name, callees before callers: started in this order, stopped in reverse.

export const SERVICE_NAMES = [
  "accounts",
  "wallet-ledger",
  "webhooks",
  "payouts",
  "payment-links",
  "gateway",
] as const;

export type ServiceName = (typeof SERVICE_NAMES)[number];
