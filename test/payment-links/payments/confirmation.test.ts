// A charge that the card's issuer has its holder confirm (3-D Secure): the payment is PENDING while
// the customer is away, keeps its link, and ends by what the acquirer says, once.

import { randomUUID } from "node:crypto";
import { type PaymentBooks, watchLink } from "../../support/payments.ts";
import { until } from "../../support/system.ts";
import {
  CAPTURED,
  DECLINED,
  UNKNOWN,
  unansweredPayments,
  VOIDED,
} from "../../support/unanswered.ts";
import { dataOf, type TestLink, type World } from "../../support/world.ts";

const ACTION = { kind: "action", action: "secret_of_the_intent" } as const;
const MINUTE_MS = 60_000;

const unanswered = unansweredPayments();
const { script, clock } = unanswered;
let world: World;
let books: PaymentBooks;

beforeAll(async () => {
  ({ world, books } = await unanswered.start());
});
beforeEach(() => {
  unanswered.reset();
  script.answers.charge = async () => ACTION;
  script.answers.outcome = async () => ACTION;
});
afterAll(() => unanswered.stop());

const pathOf = ({ token }: TestLink, id: string) => `/v1/checkout/${token}/payments/${id}`;
const stateOf = async (link: TestLink, id: string) =>
  dataOf(await world.http.get(pathOf(link, id)), 200);
const goOn = async (link: TestLink, id: string) =>
  dataOf(await world.http.post(`${pathOf(link, id)}/continue`, {}), 200);

async function begin() {
  const watched = await watchLink(world);
  const begun = dataOf(await world.pay(watched.link, "card"), 200);
  return { ...watched, id: begun.id as string, begun };
}

test("the customer gets the action and a time, and the payment holds its link", async () => {
  const { link, id, begun } = await begin();
  expect(begun).toEqual({
    id,
    status: "PENDING",
    action: "secret_of_the_intent",
    confirmUntil: expect.any(String),
    redirectTo: null,
  });
  const leftMs = Date.parse(begun.confirmUntil) - clock.now();
  expect(leftMs).toBeGreaterThan(14 * MINUTE_MS);
  expect(await unanswered.payAgain(link)).toBe("Another payment of this link is under way");
  const { action: _action, ...shown } = begun;
  expect(await stateOf(link, id)).toEqual(shown);
  expect(await goOn(link, id)).toEqual(begun);
  expect(script.timesAsked("charge", id)).toBe(1);
  expect(script.timesAsked("void", id)).toBe(0);
});

test("the action is neither stored nor given to the merchant", async () => {
  const { id } = await begin();
  expect(JSON.stringify(await books.payments.findOne({ _id: id }))).not.toContain("secret_of");
});

test("a confirmed payment is credited once, however often the page asks", async () => {
  const { link, id, balance, received } = await begin();
  script.answers.outcome = async () => CAPTURED;
  const answers = await Promise.all([goOn(link, id), goOn(link, id), goOn(link, id)]);
  expect(answers.map(({ status }) => status)).toContain("SUCCEEDED");
  await books.ended(id);
  expect(await goOn(link, id)).toMatchObject({ status: "SUCCEEDED" });
  expect(await goOn(link, id)).not.toHaveProperty("confirmUntil");
  expect(await balance()).toBe("25.00");
  await until(() => received().length > 0);
  expect(received()).toEqual(["SUCCEEDED"]);
  expect(script.timesAsked("charge", id)).toBe(1);
  expect(script.timesAsked("void", id)).toBe(0);
});

test("a refused confirmation fails the payment with its reason, and frees the link", async () => {
  const { link, id, balance } = await begin();
  script.answers.outcome = async () => DECLINED;
  expect(await goOn(link, id)).toMatchObject({
    status: "FAILED",
    reason: "Your card was declined.",
  });
  script.answers.charge = async () => CAPTURED;
  expect(await unanswered.payAgain(link)).toBe("SUCCEEDED");
  expect(await balance()).toBe("25.00");
});

test("a payment whose customer has confirmed and left is found captured", async () => {
  const { id, balance } = await begin();
  script.answers.outcome = async () => CAPTURED;
  clock.aheadMs += 2 * MINUTE_MS;
  await books.ended(id);
  expect(await books.payments.findOne({ _id: id })).toMatchObject({ status: "SUCCEEDED" });
  expect(script.timesAsked("void", id)).toBe(0);
  expect(await balance()).toBe("25.00");
});

test("a payment whose customer never confirms is voided after its time, and not before", async () => {
  const { link, id, balance } = await begin();
  script.answers.void = async () => VOIDED;
  clock.aheadMs += 5 * MINUTE_MS;
  await until(() => script.timesAsked("outcome", id) > 0, { awaited: "a question of the sweeper" });
  expect(script.timesAsked("void", id)).toBe(0);
  clock.aheadMs += 11 * MINUTE_MS;
  await books.ended(id);
  expect(await stateOf(link, id)).toMatchObject({ status: "FAILED" });
  expect(await balance()).toBe("0.00");
  // The page asks once more, too late.
  script.answers.outcome = async () => CAPTURED;
  expect(await goOn(link, id)).toMatchObject({ status: "FAILED" });
});

test("an outcome that is unknown when the page asks leaves the payment pending", async () => {
  const { link, id } = await begin();
  script.answers.outcome = async () => UNKNOWN;
  expect(await goOn(link, id)).toMatchObject({ status: "PENDING" });
  script.answers.outcome = () => Promise.reject(new Error("connection reset"));
  expect(await goOn(link, id)).toMatchObject({ status: "PENDING" });
  expect(script.timesAsked("void", id)).toBe(0);
});

test("two contradicting outcomes at once have one end, which the books and an operator see", async () => {
  const { link, id, balance } = await begin();
  let asked = 0;
  script.answers.outcome = async () => {
    asked += 1;
    return asked === 1 ? CAPTURED : DECLINED;
  };
  await Promise.all([goOn(link, id), goOn(link, id)]);
  await books.ended(id);
  const isFlagged = { _id: id, needsAttention: true };
  const flagged = await until(() => books.payments.findOne(isFlagged), { awaited: "a flag" });
  expect(await balance()).toBe(flagged.status === "SUCCEEDED" ? "25.00" : "0.00");
});

test.each<[string, object]>([
  ["is missing", {}],
  ["is empty", { action: "" }],
  ["is too long", { action: "x".repeat(1_001) }],
  ["is no text", { action: 7 }],
])("an action that %s counts as unknown, so that a void decides", async (_case, more) => {
  const { link } = await watchLink(world);
  script.answers.charge = async () => ({ kind: "action", ...more }) as never;
  script.answers.void = async () => VOIDED;
  const { status, ...shown } = dataOf(await world.pay(link, "card"), 200);
  expect(status).toBe("FAILED");
  expect(shown).not.toHaveProperty("confirmUntil");
});

test("an action of an acquirer that cannot tell the outcome is voided", async () => {
  const { outcome } = script.acquirer;
  delete script.acquirer.outcome;
  try {
    const { link } = await watchLink(world);
    script.answers.void = async () => VOIDED;
    expect(await unanswered.payAgain(link)).toBe("FAILED");
  } finally {
    if (outcome) script.acquirer.outcome = outcome;
  }
});

test("another link's payment, and one that does not exist, are not found", async () => {
  const { id } = await begin();
  const { link: other } = await watchLink(world);
  for (const each of [id, randomUUID()]) {
    const answer = await world.http.post(`${pathOf(other, each)}/continue`, {});
    expect([answer.status, answer.body.code]).toEqual([404, "payment_not_found"]);
  }
});
