// Whose data an email finds (docs/integrate/personal-data.md): exactly what was paid with that
// email, however it is written, and nothing of an email that several end users share unless the
// request says so.

import { randomUUID } from "node:crypto";
import mongoose from "mongoose";
import type { Payment } from "../../services/payment-links/payments/payment.model.ts";
import { newId } from "../../shared/ids.ts";
import { settledStored } from "../support/stored.ts";
import { type Random, seeded } from "../support/traffic.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "../support/world.ts";

let world: World;
let stored: mongoose.Connection;
beforeAll(async () => {
  world = await startWorld({ erasesAtOnce: true });
  stored = await mongoose.createConnection(world.config.mongoUrl as string).asPromise();
});
afterAll(async () => {
  await stored?.close();
  await world?.stop();
});

const CUSTOMER = { firstName: "Ada", lastName: "Lovelace", phone: "+1 555 0100" };

async function pay(business: TestBusiness, email: string): Promise<string> {
  const link = await world.paymentLink(business);
  const customer = { ...CUSTOMER, email };
  return dataOf(await world.pay(link, await world.cardToken(), { customer }), 200).id;
}

const toCustomers = (by: TestBusiness, end: string, body: object) =>
  world.http.post(`/v1/business/${by.id}/customers/${end}`, body, { token: by.token });
const toEntity = (by: TestBusiness, id: string, body?: object) =>
  world.http.post(`/v1/business/${by.id}/entities/${id}/erase`, body, { token: by.token });
const exportOf = async (by: TestBusiness, id: string, query = "") => {
  const path = `/v1/business/${by.id}/entities/${id}/export${query}`;
  return dataOf(await world.http.get(path, { token: by.token }), 200);
};

type Paid = { payments: { id: string }[] };
const idsOf = ({ payments }: Paid) => payments.map(({ id }) => id).toSorted();

describe("an email that two end users share", () => {
  /** Two end users with one email in two cases, and a payment with it. */
  async function family() {
    const business = await world.business();
    const email = `fam-${randomUUID()}@plant.example`;
    const ann = await world.user(business, { email });
    const bob = await world.user(business, { email: email.toUpperCase() });
    const paymentId = await pay(business, email);
    return { business, email, ann, bob, paymentId, ids: [ann.id, bob.id] };
  }

  test("is said in an export, which has the payments only if it is asked to", async () => {
    const { business, email, ann, paymentId, ids } = await family();
    const unsaid = await exportOf(business, ann.id);
    expect(unsaid).toMatchObject({ payments: [], emailSharedBy: ids, complete: false });
    const customer = dataOf(await toCustomers(business, "export", { email }), 200);
    expect(customer).toEqual({
      payments: [],
      subscriptions: [],
      emailSharedBy: ids,
      complete: false,
    });
    const without = await exportOf(business, ann.id, "?sharedEmail=exclude");
    expect([idsOf(without), without.complete]).toEqual([[], false]);
    const whole = await exportOf(business, ann.id, "?sharedEmail=include");
    expect([idsOf(whole), whole.complete, whole.emailSharedBy]).toEqual([
      [paymentId],
      true,
      undefined,
    ]);
    const all = await toCustomers(business, "export", { email, sharedEmail: "include" });
    expect(idsOf(dataOf(all, 200))).toEqual([paymentId]);
  });

  test("refuses an erasure until the request says what is meant", async () => {
    const { business, email, ann, bob, paymentId } = await family();
    const reason = expect.stringContaining("2 end users have this email");
    for (const refused of [
      await toEntity(business, ann.id),
      await toCustomers(business, "erase", { email: email.toUpperCase() }),
    ]) {
      expect([refused.status, refused.body.code, refused.body.message]).toEqual([
        409,
        "erasure_refused",
        reason,
      ]);
    }
    const without = dataOf(await toEntity(business, ann.id, { sharedEmail: "exclude" }), 200);
    expect(without.erased).toMatchObject({ payments: 0 });
    // Bob alone has the email now, so the payment is his.
    expect(idsOf(await exportOf(business, bob.id))).toEqual([paymentId]);
    const whole = dataOf(await toEntity(business, bob.id), 200);
    expect(whole.erased).toMatchObject({ payments: 1 });
  });

  test("is erased with its payments if the request includes them", async () => {
    const { business, email, ann, bob } = await family();
    const erased = dataOf(await toEntity(business, ann.id, { sharedEmail: "include" }), 200);
    expect(erased.erased).toMatchObject({ payments: 1 });
    expect(idsOf(await exportOf(business, bob.id))).toEqual([]);
    expect((await toCustomers(business, "erase", { email })).status).toBe(200);
  });

  test("is nothing of another business's end users", async () => {
    const { email, paymentId, business } = await family();
    const other = await world.business();
    await world.user(other, { email });
    const paid = await pay(other, email);
    expect(idsOf(dataOf(await toCustomers(other, "export", { email }), 200))).toEqual([paid]);
    const all = await toCustomers(business, "export", { email, sharedEmail: "include" });
    expect(idsOf(dataOf(all, 200))).toEqual([paymentId]);
  });
});

test.each([undefined, null, "all", "INCLUDE", true])(
  "sharedEmail %j is no way to ask for everything",
  async (sharedEmail) => {
    const business = await world.business();
    const { id } = await world.user(business);
    const answer = await toEntity(business, id, { sharedEmail });
    expect(answer.status).toBe(sharedEmail === undefined ? 200 : 400);
  },
);

/** Other spellings of one address, and addresses that only look like it. */
const SAME: ((address: string) => string)[] = [
  // A ligature in capitals is two letters, and another address.
  (address) => address.replaceAll(/[a-zé]/g, (letter) => letter.toUpperCase()),
  (address) => address.toLowerCase(),
  (address) => address.normalize("NFD"),
  (address) => address.normalize("NFC"),
];
const UNLIKE: ((address: string) => string)[] = [
  (address) => address.replace("d", "d\u00ad"),
  (address) => address.replace("d", "\u200bd"),
  (address) => address.replace("d", "\u2060d"),
  (address) => address.replace("a", "ａ"),
  (address) => address.replace("a", "ª"),
  (address) => address.replace("a", "а"),
  (address) => address.replace("1", "①"),
  (address) => address.replace("é", "e"),
  (address) => address.replace("fi", "ﬁ"),
];

function randomAddress(random: Random): string {
  let address = "ada.é.fi1@plant.example";
  for (let i = random.below(3); i > 0; i -= 1) address = random.oneOf(UNLIKE)(address);
  return random.oneOf(SAME)(address);
}

test("what was paid with an email is found and erased by exactly that email", async () => {
  const random = seeded();
  const business = await world.business();
  const payments = stored.collection<Payment>("payments");
  const paymentId = await pay(business, "ada@plant.example");
  await settledStored(world);
  const paid = await payments.findOne({ _id: paymentId });
  const like = paid as Payment;
  // Earlier releases stored such addresses.
  const all = Array.from({ length: 60 }, () => ({ id: newId(), email: randomAddress(random) }));
  await payments.insertMany(
    all.map(({ id, email }) => {
      return { ...like, _id: id, key: id, customer: { ...like.customer, email } };
    }),
  );
  const form = (email: string) => email.normalize("NFC").toLowerCase();
  const people = Map.groupBy(all, ({ email }) => form(email));
  expect(people.size).toBeGreaterThan(5);
  for (const [person, theirs] of people) {
    const email = random.oneOf(SAME)(person);
    const expected = theirs.map(({ id }) => id).toSorted();
    const key = { businessId: business.id, email };
    const exported = await world.call("payment-links.exportCustomer", key);
    expect([email, idsOf(exported)]).toEqual([email, expected]);
  }
  const [[erased, theirs] = ["", []]] = people;
  const answer = dataOf(await toCustomers(business, "erase", { email: erased }), 200);
  expect(answer.erased.payments).toBe(theirs.length);
  const left = await payments.countDocuments({
    businessId: business.id,
    "customer.email": { $ne: "erased@erased.invalid" },
  });
  expect(left).toBe(all.length + 1 - theirs.length);
});
