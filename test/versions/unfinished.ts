// Documents in the middle of their lifecycles: a node stops at each point of them.

import { randomUUID } from "node:crypto";
import type { Point as CollectionPoint } from "../../services/payment-links/points.ts";
import type { Point as PayoutPoint } from "../../services/payouts/deps.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "../support/world.ts";

const SUCCESS = ["PENDING", "PROCESSING_PAY_OUT", "SUCCESS"];
const FAILED = ["PENDING", "FAILED"];

/** The point, the last four digits that decide the outcome, the amount, and the final states. */
const PAYOUTS: [PayoutPoint, string, number, string[]][] = [
  ["inserted", "6789", 25, []],
  ["token-claimed", "6789", 25, []],
  ["debit-answered", "6789", 25, SUCCESS],
  ["debit-answered", "6789", 5_000, []],
  ["token-released", "6789", 5_000, []],
  ["accepted", "6789", 25, SUCCESS],
  ["submitting-stored", "6789", 25, SUCCESS],
  ["rail-answered", "6789", 25, SUCCESS],
  ["rail-answered", "0004", 25, FAILED],
  ["resubmission-stored", "0009", 25, SUCCESS],
  ["end-stored", "0004", 25, FAILED],
  ["reversal-posted", "0004", 25, FAILED],
  ["failed-stored", "0004", 25, FAILED],
  ["succeeded-stored", "0007", 25, [...SUCCESS, "FAILED"]],
  ["published", "6789", 25, SUCCESS],
];

const PAYMENTS: [CollectionPoint, string][] = [
  ["payment-inserted", "4242"],
  ["charge-answered", "4242"],
  ["charge-answered", "0002"],
  ["collection-posted", "4242"],
  ["payment-published", "4242"],
];
const REFUNDS: [CollectionPoint, string][] = [
  ["refund-inserted", "4242"],
  ["refund-allocated", "4242"],
  ["refund-posted", "4242"],
  ["refund-answered", "4242"],
  ["refund-reversed", "5126"],
  ["refund-published", "4242"],
];
const RENEWALS: [CollectionPoint, string][] = [
  ["invoice-numbered", "4242"],
  ["invoice-inserted", "4242"],
  ["renewal-inserted", "4242"],
  ["renewal-ended", "4242"],
  // The first answer is unknown, so the subscription stores its attempt before the renewal ends.
  ["renewal-ended", "0119"],
  ["invoice-ended", "4242"],
  ["subscription-published", "4242"],
];

/** Stops the drivers of documents at points until all of them may go on. */
function stopper<Point extends string>(mayGoOn: Promise<void>) {
  const awaited = new Map<Point, (id: string) => void>();
  const stopped = new Map<string, Point>();
  return {
    reached(point: Point, { _id: id }: { _id: string }): Promise<void> | undefined {
      const stop = awaited.get(point);
      awaited.delete(point);
      stop?.(id);
      if (stop) stopped.set(id, point);
      // A driver that comes back after its lease stops too. A relay does not, because the events of
      // other documents wait for it.
      const at = stopped.get(id);
      return at && (at === point || !point.endsWith("published")) ? mayGoOn : undefined;
    },
    /** Stops the next document that reaches the point. @returns its id, once it has */
    stopAt: (point: Point) => new Promise<string>((resolve) => awaited.set(point, resolve)),
  };
}

/** A world whose nodes can be stopped at the points. */
export async function startStoppable(environment: Record<string, string>) {
  const { promise: mayGoOn, resolve: goOn } = Promise.withResolvers<void>();
  const payouts = stopper<PayoutPoint>(mayGoOn);
  const collections = stopper<CollectionPoint>(mayGoOn);
  const world = await startWorld({
    environment,
    payoutsInstead: [{ reached: payouts.reached }],
    paymentLinksInstead: [{ reached: collections.reached }],
  });
  return {
    world,

    /** Lets all stopped drivers go on, so that the world can stop. */
    goOn,

    /**
     * Begins a payout, payment, refund or renewal for each point, and stops it there.
     * @returns the states that each payout must enter, by its id
     */
    async leaveUnfinished(): Promise<Record<string, string[]>> {
      const awaited: Record<string, string[]> = {};
      const business = await world.business();
      for (const [point, lastFour, amount, states] of PAYOUTS) {
        const stopped = payouts.stopAt(point);
        const withToken = point.startsWith("token-");
        begin(await withdrawal(world, business, { lastFour, amount, withToken }));
        awaited[await stopped] = states;
      }
      for (const [point, lastFour] of PAYMENTS) {
        const link = await world.paymentLink(business, { isOpenLink: false });
        const card = await world.cardToken(lastFour);
        const stopped = collections.stopAt(point);
        begin(() => world.pay(link, card));
        await stopped;
      }
      for (const [point, lastFour] of REFUNDS) {
        const link = await world.paymentLink(business, { isOpenLink: false });
        const { id } = dataOf(await world.pay(link, await world.cardToken(lastFour)), 200);
        const stopped = collections.stopAt(point);
        const path = `/v1/business/${business.id}/payments/${id}/refunds`;
        const body = { amount: 10, reference: randomUUID() };
        begin(() => world.http.post(path, body, { token: business.token }));
        await stopped;
      }
      for (const [point, lastFour] of RENEWALS) {
        // The test clock of a business moves when all of its subscriptions have been billed.
        const owner = await world.business();
        // The event of its creation is published before it is billed.
        const stopped = collections.stopAt(point);
        await world.subscription(owner, {}, lastFour);
        begin(() => world.testClock(owner, "2030-01-02"));
        await stopped;
      }
      return awaited;
    },
  };
}

/** A request that is not answered in time, because its driver has stopped. */
function begin(request: () => Promise<unknown>): void {
  request().catch(() => undefined);
}

async function withdrawal(
  world: World,
  business: TestBusiness,
  { lastFour, amount, withToken }: { lastFour: string; amount: number; withToken: boolean },
): Promise<() => Promise<unknown>> {
  const user = await world.user(business);
  const wallet = await world.wallet(business, user, 100);
  const bank = await world.bank(business, wallet, lastFour);
  const headers: Record<string, string> = withToken
    ? {
        "x-application-token": await world.applicationToken(business, user, {
          tokenType: "PAYOUT",
        }),
      }
    : {};
  return () => world.withdraw(user, bank, { amount }, headers);
}
