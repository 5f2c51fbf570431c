// Refunds while a service is unavailable or the acquirer gives no answer: an unknown outcome is
// neither a success nor a failure, and a repeated reference moves the money once.

import type { ServiceBroker, ServiceSchema } from "moleculer";
import paymentLinks from "../../../services/payment-links/payment-links.service.ts";
import walletLedger from "../../../services/wallet-ledger/wallet-ledger.service.ts";
import { createBroker } from "../../../shared/rpc/broker.ts";
import { verify } from "../../../tools/verify/verify.ts";
import { scriptedAcquirer } from "../../support/payments.ts";
import { type RefundWorld, startRefundWorld } from "../../support/refunds.ts";
import { until } from "../../support/system.ts";
import { dataOf } from "../../support/world.ts";

let place: RefundWorld;

describe("with a scripted acquirer", () => {
  const { answers, acquirer } = scriptedAcquirer();
  beforeAll(async () => {
    place = await startRefundWorld({ paymentLinksInstead: [{ acquirer }] });
    answers.charge = async () => ({ kind: "captured" });
  });
  afterAll(() => place.end());

  test("a refund is PENDING if the acquirer throws or never answers", async () => {
    const one = await place.paid({ amount: 25 });
    answers.refund = async () => {
      throw new Error("connection reset");
    };
    const thrown = dataOf(await place.refund(one, { amount: 5 }), 201);
    answers.refund = () => new Promise(() => {});
    const silent = await place.keyed(dataOf(await place.refund(one, { amount: 6 }), 201));
    expect([thrown.status, silent.status]).toEqual(["PENDING", "PENDING"]);
    answers.refund = async (id) =>
      id === silent.key ? { kind: "refused", code: "no" } : { kind: "refunded" };
    const ends = async () => {
      const found = await place.listed(one);
      return found.every(({ status }: { status: string }) => status !== "PENDING") && found;
    };
    const found = await until(ends, { awaited: "both ends" });
    const statuses = found.map(({ status }: { status: string }) => status);
    expect(statuses).toEqual(["SUCCEEDED", "FAILED"]);
    expect(await place.refunded(one)).toBe("5.00");
  });
});

describe("while another service is unavailable", () => {
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

  /** Stops a service during `meanwhile`, and then starts another one in its place. */
  async function replace<T>(of: string, other: ServiceSchema, meanwhile: () => Promise<T>) {
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

  test("without the ledger a refund is a 503, and succeeds once after its return", async () => {
    const one = await place.paid({ amount: 25 });
    const body = { reference: "outage" };
    const ask = () => place.refund(one, body);
    const before = await replace("wallet-ledger", walletLedger(place.world.config), ask);
    expect(before.status).toBe(503);
    const again = async () => {
      const repeated = await place.refund(one, body);
      return repeated.status === 201 && repeated.body.data;
    };
    const done = await until(again, { awaited: "the refund" });
    expect(done).toMatchObject({ status: "SUCCEEDED", amount: "25.00" });
    expect(await place.balance(one)).toBe("0.00");
    expect(await place.listed(one)).toHaveLength(1);
  });

  test("without the acquirer a refund is a 503, and nothing is stored", async () => {
    const one = await place.paid({ amount: 25 });
    const without = paymentLinks(place.world.config, { acquirer: null });
    await replace("payment-links", without, () => Promise.resolve());
    expect(await until(() => place.listed(one).catch(() => null))).toEqual([]);
    expect((await place.refund(one)).status).toBe(503);
    expect(await place.refunds.countDocuments({ paymentId: one.id })).toBe(0);
  });
});
