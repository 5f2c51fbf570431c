// For tests of refunds: payments that succeeded, and requests and reads of their refunds.

import { randomUUID } from "node:crypto";
import { openPaymentBooks } from "./payments.ts";
import { dataOf, startWorld, type TestBusiness } from "./world.ts";

export type RefundWorld = Awaited<ReturnType<typeof startRefundWorld>>;

/** A payment that succeeded. */
export interface Paid {
  business: TestBusiness;
  id: string;
  accountId: string;
  linkId: string;
}

/** Starts payrail, and reads the documents of its payments and refunds. */
export async function startRefundWorld(options: Parameters<typeof startWorld>[0] = {}) {
  const world = await startWorld(options);
  const { connection, db, payments, refunds, close } = await openPaymentBooks(world);
  const paymentPath = ({ business, id }: Paid) => `/v1/business/${business.id}/payments/${id}`;

  /** Pays a link of the business once more. */
  async function payAgain(
    business: TestBusiness,
    accountId: string,
    fields: Record<string, unknown> = {},
    lastFour = "4242",
  ): Promise<Paid> {
    const link = await world.paymentLink(business, { customerPays: false, ...fields });
    const { id, status } = dataOf(await world.pay(link, await world.cardToken(lastFour)), 200);
    expect(status).toBe("SUCCEEDED");
    return { business, id, accountId, linkId: link.id };
  }

  return {
    world,
    connection,
    db,
    payments,
    refunds,
    payAgain,

    /** Pays a link of a new business. */
    async paid(fields: Record<string, unknown> = {}, lastFour = "4242"): Promise<Paid> {
      const business = await world.business();
      const accountId = await world.collectionAccount(business);
      return payAgain(business, accountId, fields, lastFour);
    },

    refund(paid: Paid, body: Record<string, unknown> = {}) {
      const { token } = paid.business;
      const fields = { reference: randomUUID(), ...body };
      return world.http.post(`${paymentPath(paid)}/refunds`, fields, { token });
    },

    /** The refunds of a payment, as the merchant lists them. */
    async listed(paid: Paid) {
      const { token } = paid.business;
      return dataOf(await world.http.get(`${paymentPath(paid)}/refunds`, { token }), 200);
    },

    /** The refunded sum of a payment. */
    async refunded(paid: Paid): Promise<string> {
      const { token } = paid.business;
      return dataOf(await world.http.get(paymentPath(paid), { token }), 200).refunded;
    },

    /** The balance of the collection account that a payment was credited to. */
    balance: ({ business, accountId }: Paid) => world.balance(business, { id: accountId }),

    /** Adds the acquirer's key of the refund. */
    async keyed(view: { id: string; status: string }) {
      const { key = "" } = (await refunds.findOne({ _id: view.id })) ?? {};
      return { ...view, key };
    },

    /** Verifies the books and stops, also if they are wrong: a running world holds up the tests. */
    async end() {
      try {
        await world.verifyBooks();
      } finally {
        await close();
        await world.stop();
      }
    },

    /** Closes the connection of the reads. */
    close,
  };
}
