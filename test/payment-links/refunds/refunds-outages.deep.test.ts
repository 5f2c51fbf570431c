// Refunds while a service is away or the acquirer gives no answer: nothing unknown is called done or
// failed, and a repeated reference moves the money once.

import type { ServiceBroker, ServiceSchema } from "moleculer";
import paymentLinks from "../../../services/payment-links/payment-links.service.ts";
import walletLedger from "../../../services/wallet-ledger/wallet-ledger.service.ts";
import { createBroker } from "../../../shared/broker.ts";
import { verify } from "../../../verification/verify.ts";
import { scriptedAcquirer } from "../../support/payments.ts";
import { type RefundWorld, startRefundWorld } from "../../support/refunds.ts";
import { until } from "../../support/system.ts";
import { dataOf } from "../../support/world.ts";

let place: RefundWorld;

describe("with a scripted acquirer", () => {
  const { says, acquirer } = scriptedAcquirer();
  beforeAll(async () => {
    place = await startRefundWorld({ paymentLinksInstead: [{ acquirer }] });
    says.charge = async () => ({ kind: "captured" });
  });
  afterAll(() => place.end());

  test("an acquirer that throws, or never answers, has not refused", async () => {
    const one = await place.paid({ amount: 25 });
    says.refund = async () => {
      throw new Error("connection reset");
    };
    const thrown = dataOf(await place.refund(one, { amount: 5 }), 201);
    says.refund = () => new Promise(() => {});
    const silent = await place.keyed(dataOf(await place.refund(one, { amount: 6 }), 201));
    expect([thrown.status, silent.status]).toEqual(["PENDING", "PENDING"]);
    says.refund = async (id) =>
      id === silent.key ? { kind: "refused", code: "no" } : { kind: "refunded" };
    const ends = async () => {
      const found = await place.listed(one);
      return found.every(({ status }: { status: string }) => status !== "PENDING") && found;
    };
    const found = await until(ends, { what: "both ends" });
    const statuses = found.map(({ status }: { status: string }) => status);
    expect(statuses).toEqual(["SUCCEEDED", "FAILED"]);
    expect(await place.refunded(one)).toBe("5.00");
  });
});

describe("while others are away", () => {
  const substitutes: ServiceBroker[] = [];
  beforeAll(async () => {
    place = await startRefundWorld({ overNats: true });
  });
  afterAll(async () => {
    expect((await verify(place.connection)).violations).toEqual([]);
    for (const broker of substitutes) await broker.stop();
    await place.close();
    await place.world.stop();
  });

  /** Stops a service; another one is in its place once `meanwhile` is through. */
  async function instead<T>(of: string, other: ServiceSchema, meanwhile: () => Promise<T>) {
    const broker = place.world.brokers.find(({ services }) =>
      services.some(({ name }) => name === of),
    );
    await broker?.stop();
    const result = await meanwhile();
    const substitute = createBroker(
      place.world.config,
      `other-${of}`,
      place.world.broker.namespace,
    );
    substitute.createService(other);
    await substitute.start();
    substitutes.push(substitute);
    return result;
  }

  test("the ledger: nothing is answered as done, and once it is back the same reference is", async () => {
    const one = await place.paid({ amount: 25 });
    const away = { reference: "away" };
    const ask = () => place.refund(one, away);
    const before = await instead("wallet-ledger", walletLedger(place.world.config), ask);
    expect(before.status).toBe(503);
    const again = async () => {
      const repeated = await place.refund(one, away);
      return repeated.status === 201 && repeated.body.data;
    };
    const done = await until(again, { what: "the refund" });
    expect(done).toMatchObject({ status: "SUCCEEDED", amount: "25.00" });
    expect(await place.balance(one)).toBe("0.00");
    expect(await place.listed(one)).toHaveLength(1);
  });

  test("the acquirer: a refund is refused with 503 before anything is written", async () => {
    const one = await place.paid({ amount: 25 });
    const without = paymentLinks(place.world.config, { acquirer: null });
    await instead("payment-links", without, () => Promise.resolve());
    expect(await until(() => place.listed(one).catch(() => null))).toEqual([]);
    expect((await place.refund(one)).status).toBe(503);
    expect(await place.refunds.countDocuments({ paymentId: one.id })).toBe(0);
  });
});
