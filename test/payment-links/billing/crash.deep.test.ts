// A node dies during billing, at each named point, over a real NATS, and another node resumes. An
// invoice is charged once, no period is skipped, and the merchant receives each event once.

import mongoose from "mongoose";
import type { SandboxCharge } from "../../../partners/sandbox/acquirer.ts";
import type { Invoice } from "../../../services/payment-links/billing/invoice.model.ts";
import type { Subscription } from "../../../services/payment-links/billing/subscription.model.ts";
import type { Payment } from "../../../services/payment-links/payments/payment.model.ts";
import type { Point } from "../../../services/payment-links/points.ts";
import { crashWalk } from "../../support/crash-walk.ts";
import { until } from "../../support/system.ts";
import {
  dataOf,
  startWorld,
  type TestBusiness,
  type TestHook,
  type World,
} from "../../support/world.ts";

let world: World;
let connection: mongoose.Connection;

beforeAll(async () => {
  world = await startWorld({ overNats: true });
  connection = await mongoose
    .createConnection(world.config.mongoUrl as string, { readConcernLevel: "majority" })
    .asPromise();
});

afterAll(async () => {
  await connection?.close();
  await world?.stop();
});

interface Row {
  point: Point;
  /** The card's last four digits decide the sandbox acquirer's answer. */
  lastFour: "4242" | "0002";
  /** The least number of charges that the acquirer received; every driver repeats the same id. */
  charges: number;
}

const WALK: Row[] = [
  // The invoice is decided and its number is taken, but the invoice is not stored.
  { point: "invoice-numbered", lastFour: "4242", charges: 1 },
  // The invoice is stored, but its subscription does not record it.
  { point: "invoice-inserted", lastFour: "4242", charges: 1 },
  // The payment is stored, but the acquirer has not been called.
  { point: "renewal-inserted", lastFour: "4242", charges: 1 },
  // The acquirer has answered, but the answer is not stored.
  { point: "charge-answered", lastFour: "4242", charges: 2 },
  { point: "charge-answered", lastFour: "0002", charges: 2 },
  // The ledger has the posting, but the payment does not record it.
  { point: "collection-posted", lastFour: "4242", charges: 2 },
  // The payment has ended, but its invoice does not record it.
  { point: "renewal-ended", lastFour: "4242", charges: 1 },
  // The invoice has ended or was declined, but its subscription does not record it.
  { point: "invoice-ended", lastFour: "4242", charges: 1 },
  { point: "invoice-ended", lastFour: "0002", charges: 1 },
  // The webhooks service has the events, and the outbox still has them too.
  { point: "subscription-published", lastFour: "0002", charges: 1 },
];

interface Begun extends Row {
  owner: string;
  business: TestBusiness;
  hook: TestHook;
  subscriptionId: string;
}

async function begin(row: Row): Promise<Begun> {
  const business = await world.business();
  const hook = await world.hook(business, { eventTypes: ["SUBSCRIPTION", "INVOICE"] });
  const link = await world.recurringLink(business);
  const answer = await world.setup(link, await world.cardToken(row.lastFour));
  const { subscriptionId } = dataOf(answer, 200);
  return { ...row, business, hook, subscriptionId, owner: link.id };
}

const START = "2030-01-01T00:00:00.000Z";

test("a node dies while it bills, at every point, and another node resumes its work", () =>
  crashWalk<Row, Begun>({
    world,
    service: "payment-links",
    rows: WALK,
    begin,
    ask({ business }, nodeID) {
      const params = { businessId: business.id, now: START };
      // The call is not awaited, because the dead node never answers.
      void world.broker.call("payment-links.setTestClock", params, { nodeID }).catch(() => null);
    },
    expectEnd: expectBilledOnce,
  }));

async function expectBilledOnce({ business, hook, subscriptionId, ...row }: Begun): Promise<void> {
  const { point, lastFour, charges } = row;
  const isPaid = lastFour === "4242";
  const name = `${point} ${lastFour}`;
  const rests = { _id: business.id as never, step: "rest" };
  const clocks = connection.collection("billing_clocks");
  await until(() => clocks.findOne(rests), { awaited: `the end of billing at ${name}` });

  const found = await connection.collection<Invoice>("invoices").find({ subscriptionId }).toArray();
  const billed = found.map(({ occasion, status }) => [name, occasion, status]);
  expect(billed).toEqual([[name, "period:0", isPaid ? "paid" : "failed"]]);
  const attempts = found.flatMap((invoice) => invoice.attempts);
  const ids = attempts.map(({ paymentId }) => paymentId);
  const made = connection.collection<Payment>("payments").find({ _id: { $in: ids } });
  const keys = (await made.toArray()).map(({ key = "" }) => key);
  const asked = await connection
    .collection<SandboxCharge>("sandbox_charges")
    .find({ _id: { $in: keys } })
    .toArray();
  expect([name, asked.length]).toEqual([name, 1]);
  expect(asked[0]?.charges).toBeGreaterThanOrEqual(charges);
  // The fee is deducted.
  expect([name, await collected(business)]).toEqual([name, isPaid ? "23.97" : "0.00"]);
  const subscriptions = connection.collection<Subscription>("subscriptions");
  const subscription = await subscriptions.findOne({ _id: subscriptionId });
  expect([name, subscription?.status]).toEqual([name, isPaid ? "active" : "past_due"]);

  const expected = ["created", ...(isPaid ? ["paid"] : ["failed", "past_due"])];
  const isHeard = () => heardBy(hook).length >= expected.length;
  await until(isHeard, { awaited: `the events of ${name}` });
  expect([name, heardBy(hook)]).toEqual([name, expected]);
}

async function collected({ id, token }: TestBusiness): Promise<string> {
  const path = `/v1/business/${id}/collection-accounts`;
  const [account] = dataOf(await world.http.get(path, { token }), 200);
  return account.balance;
}

/** The statuses that the merchant received, each event once. */
function heardBy({ received }: TestHook): string[] {
  const byId = new Map(received.map(({ headers, body }) => [headers["webhook-id"], body.status]));
  return (Array.from(byId.values()) as string[]).toSorted((a, b) => a.localeCompare(b));
}
