// Requests to erase a person (docs/integrate/personal-data.md): their refusals, customers at
// checkout, hostile ids and values, two concurrent requests.

import { randomUUID } from "node:crypto";
import type { Answer } from "../support/http.ts";
import { allStored, settledStored } from "../support/stored.ts";
import { until } from "../support/system.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "../support/world.ts";

let world: World;
let business: TestBusiness;

beforeAll(async () => {
  world = await startWorld({ erasesAtOnce: true, environment: { SANDBOX_SETTLE_MS: "100" } });
  business = await world.business();
});

afterAll(async () => {
  await world?.verifyBooks();
  await world?.stop();
});

const CUSTOMER = { firstName: "Ada", lastName: "Lovelace", phone: "+1 555 0100" };

const entityPath = (entityId: string) => `/v1/business/${business.id}/entities/${entityId}`;

const erase = ({ user }: { user: { id: string } }): Promise<Answer> =>
  world.http.post(`${entityPath(user.id)}/erase`, undefined, { token: business.token });

describe("refusals change nothing", () => {
  async function refused(person: { user: { id: string } }, reason: RegExp) {
    const before = await settledStored(world);
    const answer = await erase(person);
    expect([answer.status, answer.body.message]).toEqual([409, expect.stringMatching(reason)]);
    expect(await settledStored(world)).toEqual(before);
  }

  test("a balance", async () => {
    const user = await world.user(business);
    await world.wallet(business, user, 12);
    await refused({ user }, /a wallet holds 12.00 USD/);
  });

  test("a payout that the rail never answers for", async () => {
    const user = await world.user(business);
    const wallet = await world.wallet(business, user, 25.25);
    const bank = await world.bank(business, wallet, "0010");
    dataOf(await world.withdraw(user, bank), 200);
    const answer = await erase({ user });
    expect(answer.status).toBe(409);
    expect(answer.body.message).toMatch(/1 payouts are under way/);
  });

  test("a saved card, until its subscription is cancelled", async () => {
    const user = await world.user(business);
    const link = await world.recurringLink(business);
    const customer = { ...CUSTOMER, email: user.email };
    const setUp = await world.setup(link, await world.cardToken(), { customer });
    const { subscriptionId } = dataOf(setUp, 200);
    const answer = await erase({ user });
    expect(answer.body.message).toMatch(/1 subscriptions of this email run: cancel them first/);
    const shown = dataOf(await world.http.get(entityPath(user.id), { token: business.token }), 200);
    expect(shown.email).toBe(user.email);
    await world.toSubscription(business, subscriptionId, "cancel", { at: "now" });
    const done = await until(
      async () => {
        const again = await erase({ user });
        return again.status === 200 && again;
      },
      { within: 30_000 },
    );
    expect(dataOf(done, 200).erased).toMatchObject({ subscriptions: 1 });
  });
});

describe("a customer at checkout", () => {
  const post = (end: string, email: unknown, by = business) =>
    world.http.post(`/v1/business/${by.id}/customers/${end}`, { email }, { token: by.token });

  test("is exported and erased by email, in any case, in one business", async () => {
    const email = `Guest-${randomUUID()}@plant.example`;
    const other = await world.business();
    for (const merchant of [business, other]) {
      const link = await world.paymentLink(merchant);
      const customer = { ...CUSTOMER, email };
      dataOf(await world.pay(link, await world.cardToken(), { customer }), 200);
    }
    const exported = dataOf(await post("export", email.toUpperCase()), 200);
    expect(exported.payments).toMatchObject([{ customer: { email } }]);
    const erased = dataOf(await post("erase", email.toLowerCase()), 200);
    expect(erased.erased).toEqual({ payments: 1, subscriptions: 0 });
    expect(dataOf(await post("export", email), 200).payments).toEqual([]);
    expect(dataOf(await post("erase", email), 200).erased.payments).toBe(0);
    expect(dataOf(await post("export", email, other), 200).payments).toHaveLength(1);
    const { id } = exported.payments[0];
    const path = `/v1/business/${business.id}/payments/${id}`;
    const shown = dataOf(await world.http.get(path, { token: business.token }), 200);
    expect(shown).toMatchObject({
      amount: exported.payments[0].amount,
      card: { last4: "****" },
      customer: { email: "erased@erased.invalid", firstName: "erased" },
      metadata: { itemDeliveryAddress: "erased", customData: {}, fields: {} },
    });
  });

  test("is not remembered by an open link any more, once it is erased", async () => {
    const email = `guest-${randomUUID()}@plant.example`;
    const link = await world.paymentLink(business);
    const pay = async () =>
      world.pay(link, await world.cardToken(), { customer: { ...CUSTOMER, email }, once: true });
    dataOf(await pay(), 200);
    expect((await pay()).body.code).toBe("payment_link_used_recently");
    dataOf(await post("erase", email), 200);
    dataOf(await pay(), 200);
  });

  test.each([undefined, null, "", "x", 7, {}, ["a@b.example"], { $ne: null }])(
    "an email that is %j is a 400",
    async (email) => {
      expect((await post("erase", email)).status).toBe(400);
      expect((await post("export", email)).status).toBe(400);
    },
  );
});

test("foreign, unknown and malformed ids answer as unknown ones, and a business is no end user", async () => {
  const other = await world.business();
  const theirs = await world.user(other);
  const people = async () => {
    const { entities, linked_accounts, payments, payment_links } = await allStored(world);
    return { entities, linked_accounts, payments, payment_links };
  };
  const before = await people();
  for (const id of [theirs.id, randomUUID(), "x", "%24ne", business.id, other.id]) {
    for (const end of ["export", "erase"] as const) {
      const method = end === "export" ? "GET" : "POST";
      const answer = await world.http.request(method, `${entityPath(id)}/${end}`, {
        token: business.token,
      });
      expect([id, end, answer.status]).toEqual([id, end, 404]);
    }
  }
  expect(await people()).toEqual(before);
});

test("of two concurrent erasures one erases, and the other is refused", async () => {
  const user = await world.user(business);
  const answers = await Promise.all([erase({ user }), erase({ user })]);
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
  dataOf(await erase({ user }), 200);
});
