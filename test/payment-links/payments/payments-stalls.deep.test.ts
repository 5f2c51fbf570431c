// A node stalls at a point of a payment: the payment is charged at most once and credited once, and
// an answer that the node received but could not store flags the payment.

import type { Point } from "../../../services/payment-links/payments/deps.ts";
import { freezer } from "../../support/freezer.ts";
import {
  openPaymentBooks,
  type PaymentBooks,
  scriptedAcquirer,
  watchLink,
} from "../../support/payments.ts";
import { until } from "../../support/system.ts";
import { dataOf, startWorld, type TestLink, type World } from "../../support/world.ts";

const CAPTURED = { kind: "captured" } as const;
const VOIDED = { kind: "voided" } as const;
const DECLINED = { kind: "declined", code: "card_declined" } as const;
const UNKNOWN = { kind: "unknown" } as const;
const USED = "The payment link cannot be paid";

const script = scriptedAcquirer();
const frozen = freezer<Point>();
let world: World;
let books: PaymentBooks;

beforeAll(async () => {
  const instead = { acquirer: script.acquirer, reached: frozen.reached, outcomeWithinMs: 3_000 };
  world = await startWorld({ paymentLinksInstead: [instead] });
  books = await openPaymentBooks(world);
});

afterAll(async () => {
  await world.verifyBooks();
  await books.close();
  await world.stop();
});

beforeEach(() => {
  script.answers.charge = async () => CAPTURED;
  script.answers.void = async () => UNKNOWN;
});

async function payAgain(link: TestLink) {
  const { status, body } = await world.pay(link, "card");
  return status === 200 ? body.data.status : body.message;
}

test.each([
  ["captured", CAPTURED, VOIDED, "FAILED"],
  ["declined", DECLINED, CAPTURED, "SUCCEEDED"],
])(
  "a driver that receives `%s` after another driver's decision flags the payment",
  async (_, late, voidAnswer, end) => {
    const { link } = await watchLink(world);
    script.answers.charge = async () => late;
    script.answers.void = async () => voidAnswer;
    const { reached, release } = frozen.freeze("charge-answered");
    const paying = world.pay(link, "card");
    const id = await reached;
    await paying;
    expect(await books.ended(id)).toMatchObject({ status: end, needsAttention: false });
    release();
    const flagged = () => books.payments.findOne({ _id: id, needsAttention: true });
    expect((await until(flagged, { what: "the flag" })).status).toBe(end);
  },
);

test("a node that stalls before the charge does not charge after the request", async () => {
  const { link, balance } = await watchLink(world);
  script.answers.void = async () => VOIDED;
  const { reached, release } = frozen.freeze("payment-inserted");
  const paying = world.pay(link, "card");
  const id = await reached;
  expect(dataOf(await paying, 200)).toEqual({ id, status: "PENDING", redirectTo: null });
  expect((await books.ended(id)).status).toBe("FAILED");
  release();
  script.answers.charge = async () => CAPTURED;
  expect(await payAgain(link)).toBe("SUCCEEDED");
  expect(script.timesAsked("charge", id)).toBe(0);
  expect(await balance()).toBe("25.00");
});

test("a payment is credited once if its node stalls before or after the posting", async () => {
  script.answers.void = async () => CAPTURED;
  for (const point of ["charge-answered", "collection-posted"] as const) {
    const { link, balance, received } = await watchLink(world);
    const { reached, release } = frozen.freeze(point);
    const paying = world.pay(link, "card");
    const id = await reached;
    expect(dataOf(await paying, 200).status).toBe("PENDING");
    expect((await books.ended(id)).status).toBe("SUCCEEDED");
    release();
    await until(() => received().length > 0);
    expect([point, received(), await balance()]).toEqual([point, ["SUCCEEDED"], "25.00"]);
    expect(await payAgain(link)).toBe(USED);
    expect(script.timesAsked("charge", id)).toBe(1);
  }
});
