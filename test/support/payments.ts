// For tests of payments: reads their documents and the sandbox's books, and provides an acquirer
// with answers that the test sets.

import mongoose from "mongoose";
import type { SandboxCharge } from "../../partners/sandbox/acquirer.ts";
import type { SandboxCard } from "../../partners/sandbox/vault.ts";
import type { Acquirer, Captured, Refunded } from "../../partners/types.ts";
import type { PaymentLink } from "../../services/payment-links/links/link.model.ts";
import type { Payment } from "../../services/payment-links/payments/payment.model.ts";
import type { SavedMethod } from "../../services/payment-links/payments/saved-method.model.ts";
import type { Refund } from "../../services/payment-links/refunds/refund.model.ts";
import { type System, until } from "./system.ts";
import { dataOf, type World } from "./world.ts";

export type PaymentBooks = Awaited<ReturnType<typeof openPaymentBooks>>;

/** Reads the documents behind a payment; close it before the system stops. */
export async function openPaymentBooks({ config }: Pick<System, "config">) {
  // Majority reads, so the services see every document that this client sees.
  const reading = { readConcernLevel: "majority" } as const;
  const connection = await mongoose
    .createConnection(config.mongoUrl as string, reading)
    .asPromise();
  const db = connection.getClient().db(connection.name);
  const payments = db.collection<Payment>("payments");
  return {
    connection,
    db,
    payments,
    links: db.collection<PaymentLink>("payment_links"),
    methods: db.collection<SavedMethod>("payment_methods"),
    refunds: db.collection<Refund>("payment_refunds"),
    charges: db.collection<SandboxCharge>("sandbox_charges"),
    cards: db.collection<SandboxCard>("sandbox_cards"),
    /** Waits until the payment has ended, and returns it. */
    ended: (id: string) =>
      until(() => payments.findOne({ _id: id, step: "closed" }), { awaited: `the end of ${id}` }),
    close: () => connection.close(),
  };
}

type Method = "charge" | "outcome" | "void" | "refund";
type Told<K extends Method> = Awaited<ReturnType<Required<Acquirer>[K]>>;
type Moved = Captured | Refunded;
type Sum = Pick<Moved, "amountMinor" | "currency">;
/** An answer that money was moved and names no sum is about the one that was asked first. */
type Spoken<A> = A extends Moved ? Pick<A, "kind"> & Partial<Sum> : A;
type Answer<K extends Method> = (id: string) => Promise<Spoken<Told<K>>>;
export type SpokenCharge = Spoken<Told<"charge">>;
export type SpokenVoid = Spoken<Told<"void">>;

/**
 * An acquirer that gives the present `answers`; `timesAsked` counts the requests with one key,
 * because payrail may still send requests with earlier keys meanwhile.
 */
export function scriptedAcquirer(name = "scripted") {
  const unknown = { kind: "unknown" } as const;
  const answers: { [K in Method]: Answer<K> } = {
    charge: async () => unknown,
    outcome: async () => unknown,
    void: async () => unknown,
    refund: async () => unknown,
  };
  const asked: string[] = [];
  const refunded: string[] = [];
  const sums = new Map<string, Sum>();
  async function answer<K extends Method>(method: K, id: string, sum?: Sum): Promise<Told<K>> {
    asked.push(`${method} ${id}`);
    if (sum && !sums.has(id)) sums.set(id, sum);
    const told = (await answers[method](id)) as Spoken<Told<Method>>;
    const isMoved = told.kind === "captured" || told.kind === "refunded";
    return (isMoved ? { ...sums.get(id), ...told } : told) as Told<K>;
  }
  const acquirer: Acquirer = {
    name,
    test: true,
    tokenInfo: async () => ({ brand: "Visa", last4: "4242" }),
    charge: ({ id, amountMinor, currency }) => answer("charge", id, { amountMinor, currency }),
    outcome: (id) => answer("outcome", id),
    void: (id) => answer("void", id),
    async refund({ id, chargeId, amountMinor, currency }) {
      refunded.push(chargeId);
      return answer("refund", id, { amountMinor, currency });
    },
  };
  const timesAsked = (method: keyof typeof answers, id: string) =>
    asked.filter((question) => question === `${method} ${id}`).length;
  return {
    answers,
    acquirer,
    timesAsked,
    /**
     * The keys of the requested charges; `refundsOf` has the charges that refunds were requested
     * for.
     */
    charges: () => asked.flatMap((question) => question.match(/^charge (.*)/)?.slice(1) ?? []),
    refundsOf: () => refunded,
  };
}

/**
 * Creates a closed link of a new business, with a receiver of its COLLECTION events; `received` has
 * their statuses.
 */
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
  const received = () => hook.received.map(({ body }) => body.status);
  return { business, link, balance, received };
}
