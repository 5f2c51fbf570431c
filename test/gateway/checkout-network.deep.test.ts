// The checkout page on a network that fails: an answer that is lost, a server that works on, a vault
// that cannot be reached. The page charges once, and never calls an unknown outcome a refusal.

import { ERRORS } from "../../shared/errors.ts";
import {
  type Checkout,
  fill,
  paid,
  passTime,
  payButton,
  problem,
  startCheckout,
} from "../support/checkout-page.ts";
import { until } from "../support/system.ts";

let checkout: Checkout;

beforeAll(async () => {
  checkout = await startCheckout();
});
afterEach(() => checkout.closePages());
afterAll(() => checkout?.stop());

test("the page asks for a slow outcome again; meanwhile no other customer is charged", async () => {
  const link = await checkout.world.paymentLink(checkout.business, { isOpenLink: false });
  const [first, second] = [await checkout.open(link), await checkout.open(link)];
  await fill(first.page, "0119");
  await fill(second.page);
  await payButton(first.page).click();
  await until(async () => (await checkout.paymentsOf(link)).length > 0, {
    what: "the first's payment",
  });
  await payButton(second.page).click();
  await problem(second.page)
    .getByText("Another payment of this link is being processed.")
    .or(second.page.getByRole("heading", { name: "This link has been paid" }))
    .waitFor();
  await paid(first.page);
  expect((await checkout.paymentsOf(link)).map(({ status }) => status)).toEqual(["SUCCEEDED"]);
});

test("an answer that was lost is asked for again, and the customer charged once", async () => {
  const link = await checkout.world.paymentLink(checkout.business);
  let lost = 0;
  const { page } = await checkout.open(link, {
    prepare: (each) =>
      each.route("**/payments", async (route) => {
        if (lost > 1) return route.continue();
        lost += 1;
        await route.fetch();
        return route.abort();
      }),
  });
  await fill(page);
  await payButton(page).click();
  await paid(page);
  expect(lost).toBe(2);
  expect(await checkout.paymentsOf(link)).toHaveLength(1);
});

test("where nobody answers it is said, what was sent stays, and trying again finds out", async () => {
  const link = await checkout.world.paymentLink(checkout.business);
  let isAway = true;
  const keys: (string | null)[] = [];
  const { page } = await checkout.open(link, {
    prepare: async (each) => {
      await each.clock.install();
      await each.route("**/payments", async (route) => {
        keys.push(await route.request().headerValue("idempotency-key"));
        return isAway ? route.abort() : route.continue();
      });
    },
  });
  await fill(page);
  await payButton(page).click();
  await passTime(page, problem(page).getByText("We do not know yet whether"));
  expect(await page.getByLabel("Card number").isDisabled()).toBe(true);
  isAway = false;
  await page.getByRole("button", { name: "Try again" }).click();
  await paid(page);
  expect(keys.length).toBeGreaterThan(2);
  expect(new Set(keys).size).toBe(1);
  expect(await checkout.paymentsOf(link)).toHaveLength(1);
});

test.each([
  ["after its answer was lost", 1],
  ["from the first answer on", 0],
])("what the server still works on is unknown, not uncharged: %s", async (_when, losses) => {
  const link = await checkout.world.paymentLink(checkout.business);
  let isAtWork = true;
  const keys: (string | null)[] = [];
  const { page } = await checkout.open(link, {
    prepare: async (each) => {
      await each.clock.install();
      await each.route("**/payments", async (route) => {
        keys.push(await route.request().headerValue("idempotency-key"));
        if (keys.length <= losses) return route.abort();
        const { status, message } = ERRORS.STILL_RUNNING;
        const json = { success: false, message, fatal: true };
        return isAtWork ? route.fulfill({ status, json }) : route.continue();
      });
    },
  });
  await fill(page);
  await payButton(page).click();
  await passTime(page, problem(page).getByText("We do not know yet whether"));
  expect(await problem(page).textContent()).not.toContain("You have not been charged");
  isAtWork = false;
  await page.getByRole("button", { name: "Try again" }).click();
  await paid(page);
  expect(new Set(keys).size).toBe(1);
  expect(await checkout.paymentsOf(link)).toHaveLength(1);
});

test("who could not be heard before another paid the closed link is told so", async () => {
  const link = await checkout.world.paymentLink(checkout.business, { isOpenLink: false });
  let sent = 0;
  const { page } = await checkout.open(link, {
    prepare: async (each) => {
      await each.clock.install();
      await each.route("**/payments", async (route) => {
        sent += 1;
        if (sent > 1) return route.continue();
        await checkout.world.pay(link, await checkout.world.cardToken());
        return route.abort();
      });
    },
  });
  await fill(page);
  await payButton(page).click();
  await passTime(page, page.getByRole("heading", { name: "This link has been paid" }));
  expect(await checkout.paymentsOf(link)).toHaveLength(1);
});

test("where the vault cannot be reached nothing is sent, and it can be tried again", async () => {
  const link = await checkout.world.paymentLink(checkout.business);
  const { page } = await checkout.open(link);
  await page.route("**/card-tokens", (route) => route.abort(), { times: 1 });
  await fill(page);
  await payButton(page).click();
  await problem(page).getByText("You have not been charged.").waitFor();
  expect(await checkout.paymentsOf(link)).toEqual([]);
  await payButton(page).click();
  await paid(page);
});
