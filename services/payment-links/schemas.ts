// The collections of the payment-links service.

import { keyedRequestSchema } from "../../shared/idempotency.ts";
import { sandboxChargeSchema } from "./acquirers/sandbox.ts";
import { sandboxCardSchema } from "./acquirers/vault.ts";
import { billingClockSchema } from "./billing/clock.model.ts";
import { invoiceCountSchema, invoiceSchema } from "./billing/invoice.model.ts";
import { subscriptionSchema } from "./billing/subscription.model.ts";
import { usageSchema } from "./billing/usage.model.ts";
import { linkSchema } from "./links/link.model.ts";
import { paymentSchema } from "./payments/payment.model.ts";
import { methodSchema } from "./payments/saved-method.model.ts";
import { refundSchema } from "./refunds/refund.model.ts";

export const schemas = {
  payment_links: linkSchema,
  payments: paymentSchema,
  payment_refunds: refundSchema,
  sandbox_cards: sandboxCardSchema,
  sandbox_charges: sandboxChargeSchema,
  subscriptions: subscriptionSchema,
  invoices: invoiceSchema,
  invoice_counts: invoiceCountSchema,
  usage_log: usageSchema,
  payment_methods: methodSchema,
  billing_clocks: billingClockSchema,
  link_idempotency_keys: keyedRequestSchema,
};
