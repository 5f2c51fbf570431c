// Every page of the console in four widths, in light or dark: it breaks no rule of WCAG, never
// scrolls sideways, and its policy refuses nothing. And the console by keyboard alone.

import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { findBarriers, isTooWide, type SIZES } from "../support/browser.ts";
import { type Consoles, startConsoles } from "../support/console-page.ts";
import { until } from "../support/system.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "../support/world.ts";

let world: World;
let business: TestBusiness;
let consoles: Consoles;
/** The places of each role, all with something to show. */
let places: { admin: string[]; merchant: string[] };

beforeAll(async () => {
  world = await startWorld({ environment: { WEBHOOK_RETRY_SCHEDULE: "50ms" } });
  business = await world.business();
  places = await fill();
  consoles = await startConsoles(world);
});
afterEach(() => consoles?.closePages());
afterAll(async () => {
  await consoles?.close();
  await world?.verifyBooks();
  await world?.stop();
});

/** Makes one of everything that the console shows. */
async function fill() {
  const held = await fillReviewed();
  const hook = await world.hook(business);
  hook.answerWith(500);
  const user = await world.user(business);
  const wallet = await world.wallet(business, user, 1_000);
  const bank = await world.bank(business, wallet);
  const payout = dataOf(await world.withdraw(user, bank), 200).id;
  await world.status(business, payout, "SUCCESS");
  const get = async (path: string) =>
    dataOf(
      await world.http.get(`/v1/business/${business.id}/${path}`, { token: business.token }),
      200,
    );
  const [delivery] = await until(async () => {
    const found = await get(`webhooks/${hook.id}/deliveries?status=DEAD_LETTER`);
    return found.length > 0 && found;
  });
  const link = await world.paymentLink(business);
  const payment = dataOf(await world.pay(link, await world.cardToken()), 200).id;
  const refund = { amount: 5, reference: "part" };
  const refunds = `/v1/business/${business.id}/payments/${payment}/refunds`;
  dataOf(await world.http.post(refunds, refund, { token: business.token }), 201);
  const plan = await world.recurringLink(business);
  const subscription = dataOf(await world.setup(plan, await world.cardToken()), 200).subscriptionId;
  await world.testClock(business, "2030-03-01");
  const [invoice] = await get(`subscriptions/${subscription}/invoices`);
  const [account] = await get("collection-accounts");
  const transfer = await fillMoved(wallet.id);
  const ofBusiness = `businesses/${business.id}`;
  return {
    admin: [
      "",
      "?state=unknown&kind=payout",
      "?state=overdue",
      "reviews",
      `${ofBusiness}/transactions/${held}`,
      "businesses",
      ofBusiness,
      `${ofBusiness}/limits`,
      `${ofBusiness}/end-users`,
      `${ofBusiness}/end-users/${user.id}`,
      `${ofBusiness}/transactions/${payout}`,
      `${ofBusiness}/webhooks/${hook.id}`,
      `${ofBusiness}/webhooks/${hook.id}/deliveries/${delivery.id}`,
      `find?q=${link.id}`,
      `find?q=${randomUUID()}`,
      `find?q=6789&businessId=${business.id}`,
      "partners",
      "books",
      "audit-log",
      "nowhere",
    ],
    merchant: [
      "",
      "?days=90",
      `wallets/${wallet.id}`,
      `collection-accounts/${account.id}`,
      "transfers",
      `transfers/${transfer}`,
      `transactions/${transfer}`,
      `transactions/${held}`,
      "limits",
      "payment-links",
      "payment-links/new",
      `payment-links/new?copy=${plan.id}`,
      "find?q=6789",
      `find?q=${randomUUID()}`,
      `payment-links/${link.id}`,
      `payment-links/${plan.id}`,
      "payments",
      `payments/${payment}`,
      "subscriptions",
      `subscriptions/${subscription}`,
      `subscriptions/${subscription}/invoices/${invoice.id}`,
      "end-users",
      "end-users?search=user",
      `end-users/${user.id}`,
      "linked-accounts",
      "api-clients",
      `api-clients/${business.clientId}`,
      "transactions",
      `transactions/${payout}`,
      "webhooks",
      `webhooks/${hook.id}`,
      `webhooks/${hook.id}/deliveries/${delivery.id}`,
      `transactions/${randomUUID()}`,
    ],
  };
}

/** A payout that waits for a review. */
async function fillReviewed(): Promise<string> {
  const user = await world.user(business);
  const wallet = await world.wallet(business, user, 100);
  const bank = await world.bank(business, wallet, "6789", { lastName: "Review" });
  const { id } = dataOf(await world.withdraw(user, bank), 200);
  const token = world.tokens.admin(randomUUID());
  await until(async () => dataOf(await world.http.get("/v1/admin/reviews", { token }), 200)[0]);
  return id;
}

/**
 * A transfer out of a wallet, which is frozen afterwards, and limits of both sides.
 * @returns the id of the transfer
 */
async function fillMoved(walletId: string): Promise<string> {
  const path = `/v1/business/${business.id}`;
  const admin = { token: world.tokens.admin(randomUUID()) };
  const own = await world.wallet(business, business);
  const move = { fromWalletId: walletId, toWalletId: own.id, amount: 5, reference: "move" };
  const { id } = dataOf(await world.http.post(`${path}/transfers`, move, business), 201);
  const limit = { scope: "business", currency: "USD", per: "day", amount: "900.00", count: 9 };
  const ofAdmin = `/v1/admin/businesses/${business.id}`;
  const note = "As in the contract";
  dataOf(await world.http.put(`${path}/limits`, { limits: [limit] }, business), 200);
  const limits = [{ ...limit, method: "ACH" }];
  dataOf(await world.http.put(`${ofAdmin}/limits`, { limits, note }, admin), 200);
  const freeze = `${ofAdmin}/wallets/${walletId}/freeze`;
  dataOf(await world.http.put(freeze, { frozen: true, note }, admin), 200);
  return id;
}

/** Each size, and both colour schemes for the layout of phones and for that of desks. */
const SCREENS = [
  ["phone", "light"],
  ["narrow", "dark"],
  ["desk", "dark"],
  ["wide", "light"],
] as const;

test.each(SCREENS)(
  "an operator's pages at the size %s in %s colours",
  async (size, colorScheme) => {
    await check("admin", world.tokens.admin(randomUUID()), { size, colorScheme });
  },
);

test.each(SCREENS)("a merchant's pages at the size %s in %s colours", async (size, colorScheme) => {
  await check("merchant", business.token, { size, colorScheme });
});

/** The text of what has the focus. */
const focused = (page: Page) =>
  page.evaluate<string>("document.activeElement.textContent || document.activeElement.name");

/** Presses Tab until something has the focus. */
async function tabTo(page: Page, text: string) {
  for (let i = 0; i < 40; i++) {
    await page.keyboard.press("Tab");
    if ((await focused(page)) === text) return;
  }
  throw new Error(`Tab does not reach ${text}`);
}

test("by keyboard alone a merchant signs in, opens a dialog, leaves it and goes on", async () => {
  const { page } = await consoles.open();
  await tabTo(page, "clientId");
  await page.keyboard.type(business.clientId);
  await tabTo(page, "clientSecret");
  await page.keyboard.type(business.clientSecret);
  await page.keyboard.press("Enter");
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
  await tabTo(page, "Webhooks");
  await page.keyboard.press("Enter");
  // The heading has the focus, so that a screen reader reads the new page.
  await page.locator("h1:focus", { hasText: "Webhooks" }).waitFor();
  for (const leave of ["Escape", "Enter"]) {
    await tabTo(page, "New endpoint");
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.waitFor();
    expect(await findBarriers(page)).toEqual([]);
    if (leave === "Enter") await tabTo(page, "Close");
    await page.keyboard.press(leave);
    await dialog.waitFor({ state: "detached" });
    expect(await focused(page)).toBe("New endpoint");
    await page.keyboard.press("Shift+Tab");
  }
});

test("a list pages from the newest to the oldest and back, and its file has them all", async () => {
  const other = await world.business();
  const names = Array.from({ length: 51 }, (_, i) => `Link ${i}`);
  for (const name of names) await world.paymentLink(other, { name });
  const { page, go } = await consoles.signIn(other.token);
  await go("payment-links");
  const named = () => page.getByRole("cell", { name: /^Link \d+$/ }).allTextContents();
  await page.getByText("Page 1", { exact: true }).waitFor();
  expect(await named()).toEqual(names.slice(1).toReversed());
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export CSV" }).click();
  const file = await readFile(await (await download).path(), "utf8");
  expect(names.filter((name) => file.includes(name))).toEqual(names);
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByText("Page 2", { exact: true }).waitFor();
  expect(await named()).toEqual(names.slice(0, 1));
  expect(await page.getByRole("button", { name: "Next" }).isDisabled()).toBe(true);
  await page.getByRole("button", { name: "Previous" }).click();
  await page.getByText("Page 1", { exact: true }).waitFor();
  expect(await named()).toHaveLength(50);
});

async function check(
  role: keyof typeof places,
  token: string,
  options: { size: keyof typeof SIZES; colorScheme: "light" | "dark" },
) {
  const { page, go, errors } = await consoles.signIn(token, options);
  const problems: Record<string, unknown> = {};
  for (const place of places[role]) {
    await go(place);
    const found = [await findBarriers(page), await isTooWide(page)];
    if (JSON.stringify(found) !== "[[],false]") problems[place] = found;
  }
  expect(problems).toEqual({});
  expect(errors).toEqual([]);
}
