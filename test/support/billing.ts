// For tests of billing: reads the documents behind subscriptions, and wraps the sandbox's acquirer
// with a switch that silences it.

import mongoose from "mongoose";
import sandboxAcquirer, { type SandboxCharge } from "../../partners/sandbox/acquirer.ts";
import type { SandboxCard } from "../../partners/sandbox/vault.ts";
import type { Acquirer } from "../../partners/types.ts";
import type { Invoice } from "../../services/payment-links/billing/invoice.model.ts";
import type { Subscription } from "../../services/payment-links/billing/subscription.model.ts";
import type { Payment } from "../../services/payment-links/payments/payment.model.ts";
import type { SavedMethod } from "../../services/payment-links/payments/saved-method.model.ts";
import { sandboxContext } from "./sandbox.ts";
import { type System, until } from "./system.ts";

export const DAY_MS = 24 * 3_600_000;

/** For entries of the bank's books: the bank took the money. */
export const CAPTURED = { declined: { $exists: false }, voided: { $exists: false } };

export type BillingBooks = Awaited<ReturnType<typeof openBillingBooks>>;

/** Reads the documents behind subscriptions; close it before the system stops. */
export async function openBillingBooks({ config }: Pick<System, "config">) {
  // Majority reads, so the services see every document that this client sees.
  const reading = { readConcernLevel: "majority" } as const;
  const connection = await mongoose
    .createConnection(config.mongoUrl as string, reading)
    .asPromise();
  const db = connection.getClient().db(connection.name);
  const subscriptions = db.collection<Subscription>("subscriptions");
  const invoices = db.collection<Invoice>("invoices");
  const payments = db.collection<Payment>("payments");
  const charges = db.collection<SandboxCharge>("sandbox_charges");
  return {
    connection,
    subscriptions,
    invoices,
    payments,
    charges,
    methods: db.collection<SavedMethod>("payment_methods"),
    cards: db.collection<SandboxCard>("sandbox_cards"),
    invoicesOf: (subscriptionId: string) =>
      invoices.find({ subscriptionId }).sort({ number: 1 }).toArray(),
    /** Waits until that many invoices of a subscription are paid, and returns them in order. */
    async paid(subscriptionId: string, count: number): Promise<Invoice[]> {
      const found = () => invoices.find({ subscriptionId, status: "paid" }).sort({ number: 1 });
      const awaited = `${count} paid invoices of ${subscriptionId}`;
      const probe = async () => {
        const all = await found().toArray();
        return all.length >= count && all;
      };
      return until(probe, { awaited });
    },
    /** The acquirer's keys of payments, in the order of their ids. */
    async keysOf(paymentIds: string[]): Promise<(string | undefined)[]> {
      const found = await payments
        .find({ _id: { $in: paymentIds } })
        .sort({ _id: 1 })
        .toArray();
      return found.map(({ key }) => key);
    },
    /** The number of times that the bank itself took money for each invoice of a subscription. */
    async chargedOf(subscriptionId: string): Promise<Record<string, number>> {
      const made = await payments.find({ "renewal.subscriptionId": subscriptionId }).toArray();
      const counts: Record<string, number> = {};
      for (const { key = "", renewal } of made) {
        const entry = await charges.findOne({ _id: key, ...CAPTURED });
        const invoiceId = renewal?.invoiceId as string;
        counts[invoiceId] = (counts[invoiceId] ?? 0) + (entry ? 1 : 0);
      }
      return counts;
    },
    close: () => connection.close(),
  };
}

/** The sandbox's acquirer; while it is silenced, it does not answer charges. */
export function silenceable() {
  let sandbox: Acquirer;
  let isSilent = false;
  const asked: string[] = [];
  const acquirer: Acquirer = {
    name: "sandbox",
    test: true,
    tokenInfo: (token) => sandbox.tokenInfo(token),
    async charge(charge) {
      asked.push(charge.id);
      return isSilent ? { kind: "unknown" } : sandbox.charge(charge);
    },
    void: (id) => sandbox.void(id),
    refund: (refund) => sandbox.refund(refund),
  };
  return {
    acquirer,
    /** The keys of the requested charges, in order. */
    asked,
    /** The acquirer with the books of the world under test. */
    open({ connection }: BillingBooks): void {
      sandbox = sandboxAcquirer(sandboxContext(connection));
    },
    silence(silent: boolean): void {
      isSilent = silent;
    },
  };
}
