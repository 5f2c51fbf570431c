// The collections of the payment-links service. The books of the sandbox's acquirer and vault are
// among them, because `npm run migrate` makes all collections of this database.

import { Schema } from "mongoose";
import type { SandboxCharge } from "../../partners/sandbox/acquirer.ts";
import type { SandboxCard } from "../../partners/sandbox/vault.ts";
import { keyedRequestSchema } from "../../shared/rpc/idempotency.ts";
import { billingClockSchema } from "./billing/clock.model.ts";
import { invoiceCountSchema, invoiceSchema } from "./billing/invoice.model.ts";
import { subscriptionSchema } from "./billing/subscription.model.ts";
import { usageSchema } from "./billing/usage.model.ts";
import { linkSchema } from "./links/link.model.ts";
import { paymentSchema } from "./payments/payment.model.ts";
import { methodSchema } from "./payments/saved-method.model.ts";
import { refundSchema } from "./refunds/refund.model.ts";

const sandboxChargeSchema = new Schema<SandboxCharge>(
  { _id: { type: String, required: true } },
  { versionKey: false, strict: false },
);

const sandboxCardSchema = new Schema<SandboxCard>(
  { _id: { type: String, required: true }, forgetAt: Date },
  { versionKey: false, strict: false },
);
// Deletes the expired records.
sandboxCardSchema.index({ forgetAt: 1 }, { expireAfterSeconds: 0 });

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
