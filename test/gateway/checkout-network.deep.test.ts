// The checkout page on a network that fails: an answer is lost, the server is slow, or the vault is
// unreachable. The page charges once, and never reports an unknown outcome as a refusal.

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

test("the page waits for a slow outcome, and no other customer is charged", async () => {
  const link = await checkout.world.paymentLink(checkout.business, { isOpenLink: false });
  const [first, second] = [await checkout.open(link), await checkout.open(link)];
  await fill(first.page, "0119");
  await fill(second.page);
  await payButton(first.page).click();
  await until(async () => (await checkout.paymentsOf(link)).length > 0, {
    awaited: "the first customer's payment",
  });
  await payButton(second.page).click();
  await problem(second.page)
    .getByText("Another payment of this link is being processed.")
    .or(second.page.getByRole("heading", { name: "This has already been paid" }))
    .waitFor();
  await paid(first.page);
  expect((await checkout.paymentsOf(link)).map(({ status }) => status)).toEqual(["SUCCEEDED"]);
});

test("the page asks again after a lost answer, and the customer is charged once", async () => {
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

test("after lost answers the outcome is unknown, and `Try again` repeats the payment", async () => {
  const link = await checkout.world.paymentLink(checkout.business);
  let isUnavailable = true;
  const keys: (string | null)[] = [];
  const { page } = await checkout.open(link, {
    prepare: async (each) => {
      await each.clock.install();
      await each.route("**/payments", async (route) => {
        keys.push(await route.request().headerValue("idempotency-key"));
        return isUnavailable ? route.abort() : route.continue();
      });
    },
  });
  await fill(page);
  await payButton(page).click();
  await passTime(page, problem(page).getByText("We do not know yet whether"));
  expect(await page.getByLabel("Card number").isDisabled()).toBe(true);
  isUnavailable = false;
  await page.getByRole("button", { name: "Try again" }).click();
  await paid(page);
  expect(keys.length).toBeGreaterThan(2);
  expect(new Set(keys).size).toBe(1);
  expect(await checkout.paymentsOf(link)).toHaveLength(1);
});

test.each([
  ["after a lost answer", 1],
  ["from the first answer on", 0],
])("the outcome is unknown while the server processes the payment: %s", async (_case, losses) => {
  const link = await checkout.world.paymentLink(checkout.business);
  let isProcessing = true;
  const keys: (string | null)[] = [];
  const { page } = await checkout.open(link, {
    prepare: async (each) => {
      await each.clock.install();
      await each.route("**/payments", async (route) => {
        keys.push(await route.request().headerValue("idempotency-key"));
        if (keys.length <= losses) return route.abort();
        const { status, message } = ERRORS.STILL_RUNNING;
        const json = { success: false, message, fatal: true };
        return isProcessing ? route.fulfill({ status, json }) : route.continue();
      });
    },
  });
  await fill(page);
  await payButton(page).click();
  await passTime(page, problem(page).getByText("We do not know yet whether"));
  expect(await problem(page).textContent()).not.toContain("You have not been charged");
  isProcessing = false;
  await page.getByRole("button", { name: "Try again" }).click();
  await paid(page);
  expect(new Set(keys).size).toBe(1);
  expect(await checkout.paymentsOf(link)).toHaveLength(1);
});

test("after a lost answer the customer learns that another one has paid the link", async () => {
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
  await passTime(page, page.getByRole("heading", { name: "This has already been paid" }));
  expect(await checkout.paymentsOf(link)).toHaveLength(1);
});

test("without the vault the page sends no payment, and the customer can try again", async () => {
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
