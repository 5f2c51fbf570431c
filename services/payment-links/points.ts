// The points of payments, refunds and billing at which a test can stop or kill a node. In
// production nothing happens at them.

export const BILLING_POINTS = [
  "invoice-numbered",
  "invoice-inserted",
  "renewal-inserted",
  "renewal-ended",
  "invoice-ended",
  "subscription-published",
] as const;

export type Point =
  | "payment-inserted"
  | "charge-answered"
  | "collection-posted"
  | "payment-published"
  | "refund-inserted"
  | "refund-allocated"
  | "refund-posted"
  | "refund-answered"
  | "refund-reversed"
  | "refund-published"
  | (typeof BILLING_POINTS)[number];
