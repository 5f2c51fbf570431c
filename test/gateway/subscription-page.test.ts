// The subscriber's own page, as a browser without scripts gets it: it shows one subscription and
// cancels it with its period, once, and only by the form.

import mongoose from "mongoose";
import { digest } from "../../shared/security/secrets.ts";
import { until } from "../support/system.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "../support/world.ts";

let world: World;
let business: TestBusiness;

beforeAll(async () => {
  world = await startWorld();
  business = await world.business();
});
afterAll(() => world?.stop());

/** A set-up, and the path of its customer's page. */
async function subscriber() {
  const brandingConfig = {
    supportEmail: "help@example.com",
    termsUrl: "https://example.com/terms",
  };
  const link = await world.recurringLink(business, { name: "Basic plan", brandingConfig });
  const answer = await world.setup(link, await world.cardToken());
  const { subscriptionId: id, manageUrl } = dataOf(answer, 200);
  return { id, path: new URL(manageUrl).pathname };
}

const cancelAt = async (id: string) => (await world.ofSubscription(business, id)).cancelAt;

test("a customer sees the subscription, and cancels it with its period, once", async () => {
  const { id, path } = await subscriber();
  const { status, headers, text } = await world.http.get(path);
  expect([status, headers["cache-control"]]).toEqual([200, "no-store"]);
  for (const part of ["Acme", "Basic plan", "every month", "$25.00 on January", "Visa •••• 4242"]) {
    expect(text).toContain(part);
  }
  expect(text).toContain('href="mailto:help@example.com"');
  expect(text).toContain('href="https://example.com/terms"');
  const policy = String(headers["content-security-policy"]);
  expect(policy).toContain("script-src 'none'");
  expect(policy).toContain("form-action 'self'");

  const question = await world.http.get(`${path}/cancel`);
  expect(question.text).toContain("Cancel your subscription?");
  expect(await cancelAt(id)).toBeNull();

  for (let i = 0; i < 2; i++) {
    const cancelled = await world.http.post(`${path}/cancel?lang=de`);
    expect([cancelled.status, cancelled.headers.location]).toEqual([
      303,
      `../${path.split("/").at(-1)}?lang=de`,
    ]);
    expect(await cancelAt(id)).toBe("2030-01-01T00:00:00.000Z");
  }
  for (const page of [path, `${path}/cancel`]) {
    const { text: after } = await world.http.get(`${page}?lang=de`);
    expect(after).toContain("Es ist gekündigt. Es endet am 1. Januar 2030");
    expect(after).not.toMatch(/<form|class="action/);
  }
  await world.toSubscription(business, id, "cancel", { at: "now" });
  expect((await world.http.post(`${path}/cancel`)).status).toBe(303);
  expect((await world.http.get(`${path}/cancel`)).text).toContain("It ended on");
  await world.verifyBooks();

  const { email } = (await world.ofSubscription(business, id)).customer;
  const erase = `/v1/business/${business.id}/customers/erase`;
  const { token } = business;
  const isErased = async () => (await world.http.post(erase, { email }, { token })).status === 200;
  await until(isErased, { awaited: "the end of what is under way" });
  expect((await world.http.get(path)).status).toBe(404);
});

test("a link's default name is not shown, and an open invoice stays due", async () => {
  const owner = await world.business();
  const recurringCharge = { interval: { type: "day", count: 1 } };
  const link = await world.recurringLink(owner, { name: undefined, recurringCharge });
  const answer = await world.setup(link, await world.cardToken("0341"));
  const { pathname } = new URL(dataOf(answer, 200).manageUrl);
  await world.testClock(owner, "2030-01-03T12:00:00Z");
  const { text } = await world.http.get(pathname);
  expect(text).toContain("Subscription to Acme</h1>");
  expect(text).toContain("Payment due");
  // The next period has begun, and is billed once the first one is paid.
  expect(text).not.toContain("Next payment");
  const question = await world.http.get(`${pathname}/cancel`);
  expect(question.text).toContain("It runs until January 4, 2030");
  const unpaid = "The last payment did not go through. It will be tried again.";
  expect(question.text).toContain(unpaid);
  await world.http.post(`${pathname}/cancel`);
  await world.testClock(owner, "2030-01-05T12:00:00Z");
  const { text: after } = await world.http.get(pathname);
  expect(after).toContain(`<p>It is cancelled and does not renew.</p><p>${unpaid}</p>`);
});

test("the link opens its own subscription alone, and only its digest is stored", async () => {
  const [one, other] = [await subscriber(), await subscriber()];
  const token = one.path.split("/").at(-1) as string;
  for (const path of [
    `/subscription/${other.id}/${token}`,
    `/subscription/${one.id}/${token}x`,
    `/subscription/${one.id}/${digest(token)}`,
    `/subscription/none/${token}`,
  ]) {
    expect((await world.http.get(path)).status).toBe(404);
    const { status, text } = await world.http.post(`${path}/cancel`);
    expect([status, text.includes("This page does not exist")]).toEqual([404, true]);
  }
  expect(await cancelAt(other.id)).toBeNull();
  const url = world.config.mongoUrl as string;
  const books = await mongoose.createConnection(url, { autoIndex: false }).asPromise();
  const filter = { _id: one.id as never };
  const stored = await books.collection("subscriptions").findOne(filter);
  await books.close();
  expect(stored?.subscriberHash).toBe(digest(token));
  expect(JSON.stringify(stored)).not.toContain(token);
});

test("a repeated request to set up answers the same link", async () => {
  const link = await world.recurringLink(business);
  const card = await world.cardToken();
  const headers = { "idempotency-key": "k".repeat(32) };
  const first = dataOf(await world.setup(link, card, {}, headers), 200);
  expect(dataOf(await world.setup(link, card, {}, headers), 200)).toEqual(first);
  const path = `/v1/checkout/${link.token}/attempts/${headers["idempotency-key"]}`;
  expect(dataOf(await world.http.get(path), 200).setup).toEqual(first);
});
