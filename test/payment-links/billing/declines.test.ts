// Renewals with a charge that the acquirer declines after payrail has requested it before. The
// acquirer may have captured the first request and declined the repeat, so payrail makes the next
// attempt only after the acquirer has confirmed that it never captures this charge.

import { type BillingBooks, DAY_MS, openBillingBooks } from "../../support/billing.ts";
import { type SpokenCharge, type SpokenVoid, scriptedAcquirer } from "../../support/payments.ts";
import { settableClock } from "../../support/settable-clock.ts";
import { until } from "../../support/system.ts";
import { startWorld, type TestBusiness, type World } from "../../support/world.ts";

const CAPTURED = { kind: "captured" } as const;
const VOIDED = { kind: "voided" } as const;
const DECLINED = { kind: "declined", code: "card_declined" } as const;
const DUPLICATE = { kind: "declined", code: "duplicate" } as const;
const UNKNOWN = { kind: "unknown" } as const;
const START = Date.parse("2030-01-01");

const script = scriptedAcquirer();
const clock = settableClock();
let world: World;
let books: BillingBooks;

beforeAll(async () => {
  world = await startWorld({ paymentLinksInstead: [{ acquirer: script.acquirer, clock }] });
  books = await openBillingBooks(world);
});
afterEach(() => {
  clock.aheadMs = 0;
});
afterAll(async () => {
  await world.verifyBooks();
  await books.close();
  await world.stop();
});

/** Bills a period. The acquirer answers a key's charges with `charges` in turn, then the last. */
async function bill(charges: SpokenCharge[], voids: SpokenVoid) {
  const business = await world.business();
  const id = await world.subscription(business);
  const timesOf = (key: string) => script.timesAsked("charge", key);
  const isAsked = Promise.withResolvers<void>();
  script.answers.charge = async (key) => {
    isAsked.resolve();
    return charges[Math.min(timesOf(key), charges.length) - 1] as SpokenCharge;
  };
  script.answers.void = async () => voids;
  const setting = world.testClock(business, START);
  // Before the charge the request could pass its deadline on the clock of the test.
  await isAsked.promise;
  await clock.passDuring(setting);
  return { business, id };
}

async function shown(business: TestBusiness, id: string) {
  const [invoice] = await world.ofSubscription(business, id, "/invoices");
  const [key = ""] = await books.keysOf([invoice.attempts[0].paymentId]);
  const attempts = invoice.attempts.map((each: { status: string; reason: string | null }) => [
    each.status,
    each.reason,
  ]);
  return { status: invoice.status, attempts, voids: script.timesAsked("void", key) };
}

const FAILED = "Your card was declined.";

test.each<[string, SpokenCharge[], SpokenVoid, object]>([
  [
    "a first charge that is declined is final",
    [DECLINED],
    CAPTURED,
    { status: "failed", voids: 0 },
  ],
  [
    "a first charge that is declined as a duplicate and was captured is paid",
    [DUPLICATE],
    CAPTURED,
    { status: "paid", attempts: [["SUCCEEDED", null]], voids: 1 },
  ],
  [
    "an unknown charge with a declined repeat is paid if it was captured",
    [UNKNOWN, DECLINED],
    CAPTURED,
    { status: "paid", attempts: [["SUCCEEDED", null]], voids: 1 },
  ],
  [
    "an unknown charge fails if its repeat is declined and its void succeeds",
    [UNKNOWN, DECLINED],
    VOIDED,
    { status: "failed", attempts: [["FAILED", FAILED]], voids: 1 },
  ],
  [
    "an unknown charge fails if its repeat is a duplicate and its void reports a decline",
    [UNKNOWN, DUPLICATE],
    DECLINED,
    { status: "failed", attempts: [["FAILED", FAILED]], voids: 1 },
  ],
])("%s", async (_, charges, voids, expected) => {
  const { business, id } = await bill(charges, voids);
  expect(await shown(business, id)).toMatchObject(expected);
});

test("while the void is unknown too, no other attempt is made at any later time", async () => {
  const business = await world.business();
  const id = await world.subscription(business);
  script.answers.charge = async () => DUPLICATE;
  script.answers.void = async () => UNKNOWN;
  const setting = world.testClock(business, START + 20 * DAY_MS);
  const renewal = { "renewal.subscriptionId": id };
  const asked = await until(() => books.payments.findOne(renewal), { awaited: "the attempt" });
  const twice = () => script.timesAsked("void", asked.key as string) >= 2;
  await clock.passDuring(until(twice, { awaited: "two voids" }));
  expect(await shown(business, id)).toMatchObject({ attempts: [["PENDING", null]] });
  expect(await books.payments.countDocuments(renewal)).toBe(1);
  script.answers.void = async () => CAPTURED;
  await clock.passDuring(setting);
  expect(await shown(business, id)).toMatchObject({
    status: "paid",
    attempts: [["SUCCEEDED", null]],
  });
  expect(await books.payments.countDocuments(renewal)).toBe(1);
});
