// For tests of payments: a look at their documents and at the sandbox's books, and an acquirer that
// says what it is told to.

import mongoose from "mongoose";
import type { SandboxCharge } from "../../services/payment-links/acquirers/sandbox.ts";
import type { SandboxCard } from "../../services/payment-links/acquirers/vault.ts";
import type { PaymentLink } from "../../services/payment-links/links/link.model.ts";
import type { Payment } from "../../services/payment-links/payments/payment.model.ts";
import type { SavedMethod } from "../../services/payment-links/payments/saved-method.model.ts";
import type { Refund } from "../../services/payment-links/refunds/refund.model.ts";
import type { Acquirer } from "../../shared/partners/acquirer.ts";
import { type System, until } from "./system.ts";
import { dataOf, type World } from "./world.ts";

export type PaymentBooks = Awaited<ReturnType<typeof openPaymentBooks>>;

/** What lies behind a payment; close it before the system stops. */
export async function openPaymentBooks({ config }: Pick<System, "config">) {
  // What it sees, the services see too.
  const reading = { readConcernLevel: "majority" } as const;
  const connection = await mongoose
    .createConnection(config.mongoUrl as string, reading)
    .asPromise();
  const db = connection.getClient().db(connection.name);
  const payments = db.collection<Payment>("payments");
  return {
    db,
    payments,
    links: db.collection<PaymentLink>("payment_links"),
    methods: db.collection<SavedMethod>("payment_methods"),
    refunds: db.collection<Refund>("payment_refunds"),
    charges: db.collection<SandboxCharge>("sandbox_charges"),
    cards: db.collection<SandboxCard>("sandbox_cards"),
    /** Waits until the payment has ended, and answers it. */
    ended: (id: string) =>
      until(() => payments.findOne({ _id: id, step: "closed" }), { what: `${id} to end` }),
    close: () => connection.close(),
  };
}

type Says<K extends "charge" | "void" | "refund"> = (id: string) => ReturnType<Acquirer[K]>;

/**
 * An acquirer that gives the present answers of `says`; `timesAsked` counts the questions of one key,
 * because payrail may still ask about earlier keys meanwhile.
 */
export function scriptedAcquirer(name = "scripted") {
  const unknown = { kind: "unknown" } as const;
  const says: { charge: Says<"charge">; void: Says<"void">; refund: Says<"refund"> } = {
    charge: async () => unknown,
    void: async () => unknown,
    refund: async () => unknown,
  };
  const asked: string[] = [];
  const refunded: string[] = [];
  const answer = <K extends keyof typeof says>(what: K, id: string) => {
    asked.push(`${what} ${id}`);
    return says[what](id) as ReturnType<Acquirer[K]>;
  };
  const acquirer: Acquirer = {
    name,
    test: true,
    tokenInfo: async () => ({ brand: "Visa", last4: "4242" }),
    charge: ({ id }) => answer("charge", id),
    void: (id) => answer("void", id),
    async refund({ id, chargeId }) {
      refunded.push(chargeId);
      return answer("refund", id);
    },
  };
  const timesAsked = (what: keyof typeof says, id: string) =>
    asked.filter((question) => question === `${what} ${id}`).length;
  return {
    says,
    acquirer,
    timesAsked,
    /** The keys of the charges that it was asked for; `refundsOf` has those that it was asked to refund. */
    charges: () => asked.flatMap((question) => question.match(/^charge (.*)/)?.slice(1) ?? []),
    refundsOf: () => refunded,
  };
}

/** Creates a closed link of a new business, with a receiver of its COLLECTION events. */
export async function watchLink(world: World) {
  const business = await world.business();
  const hook = await world.hook(business, { eventTypes: ["COLLECTION"] });
  const link = await world.paymentLink(business, { isOpenLink: false });
  const { token } = business;
  const balance = async () => {
    const accounts = await world.http.get(`/v1/business/${business.id}/collection-accounts`, {
      token,
    });
    return dataOf(accounts, 200)[0].balance;
  };
  const heard = () => hook.received.map(({ body }) => body.status);
  return { business, link, balance, heard };
}
