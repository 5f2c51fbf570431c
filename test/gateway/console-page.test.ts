// The console in a real browser: an operator solves a support case without a shell, and what a
// person may rely on: the session, the filters in the address, files of lists, the size of the
// page.

import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { holdBilling } from "../../services/payment-links/billing/hold.ts";
import { type Consoles, startConsoles } from "../support/console-page.ts";
import { openPaymentBooks, type PaymentBooks } from "../support/payments.ts";
import { type Books, openBooks, scriptedRail } from "../support/payouts.ts";
import { settableClock } from "../support/settable-clock.ts";
import { until } from "../support/system.ts";
import {
  dataOf,
  startWorld,
  type TestBusiness,
  type TestHook,
  type World,
} from "../support/world.ts";

const DAY_MS = 86_400_000;
const ADMIN = "5da6e4a1-3769-4eaa-a9e4-7c31d947562d";

const { answers, rail, rails } = scriptedRail(30 * DAY_MS);
const clock = settableClock();

let world: World;
let books: Books;
let payments: PaymentBooks;
let business: TestBusiness;
let consoles: Consoles;
beforeAll(async () => {
  world = await startWorld({
    payoutsInstead: [{ rails, clock }],
    environment: { WEBHOOK_RETRY_SCHEDULE: "50ms" },
  });
  books = await openBooks(world);
  payments = await openPaymentBooks(world);
  business = await world.business();
  consoles = await startConsoles(world);
});
afterEach(() => consoles?.closePages());
afterAll(async () => {
  await consoles?.close();
  await books?.bringBack();
  await world?.verifyBooks();
  await books?.close();
  await payments?.close();
  await world?.stop();
});

/** A payout whose outcome its rail has not told for a day. */
async function flaggedPayout(): Promise<string> {
  const user = await world.user(business);
  const wallet = await world.wallet(business, user, 100);
  const { id } = dataOf(await world.withdraw(user, await world.bank(business, wallet)), 200);
  await until(async () => books.payouts.findOne({ _id: id, unknownSince: { $exists: true } }));
  clock.aheadMs = DAY_MS + 60_000;
  await until(async () => books.payouts.findOne({ _id: id, needsAttention: true }));
  clock.aheadMs = 0;
  return id;
}

test("an operator finds a payout of unknown end, reads its timeline and resolves it", async () => {
  const id = await flaggedPayout();
  answers.cancel = "cancelled";
  const { page, errors, go } = await consoles.signIn(world.tokens.admin(ADMIN));
  await page.getByRole("link", { name: "Payout" }).click();
  await page.getByRole("heading", { name: "Payout of USD 25.25" }).waitFor();
  await page.getByText("Payout, debit of USD 25.25").waitFor();
  await page.getByText("Balance after it USD 74.75").waitFor();

  await page.getByRole("button", { name: "Fail", exact: true }).click();
  const dialog = page.getByRole("dialog");
  // Nothing is sent before every field is filled in.
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByLabel("Note").fill("The bank has no such payment, case 4711");
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByText("its money and its fee go back to the wallet").waitFor();
  expect((await books.payouts.findOne({ _id: id }))?.needsAttention).toBe(true);
  await dialog.getByRole("button", { name: "Fail", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByText("Payout returned, credit of USD 25.25").waitFor();
  await page.getByText("case 4711").first().waitFor();
  expect(await world.status(business, id, "FAILED")).toBeTruthy();

  await go("audit-log");
  const row = page.getByRole("row").filter({ hasText: "Resolve transaction" });
  await row.getByText("The bank has no such payment, case 4711").waitFor();
  await row.getByText("200").waitFor();
  expect(errors).toEqual([]);
});

test("an operator reads a payout's problem, settles the payout, and takes its return", async () => {
  const problem = "The bank refuses the file without a reason (NARR).";
  const sum = { amountMinor: 2_500, currency: "USD" } as const;
  answers.submit = { kind: "accepted", askAfterMs: DAY_MS, problem };
  const user = await world.user(business);
  const wallet = await world.wallet(business, user, 100);
  const { id } = dataOf(await world.withdraw(user, await world.bank(business, wallet)), 200);
  await until(async () => books.payouts.findOne({ _id: id, needsAttention: true }));
  rail.decide = async (_id, end) => {
    answers.query =
      end === "settled"
        ? { kind: end, askAfterMs: DAY_MS, ...sum }
        : { kind: "returned", code: "resolved", ...sum };
    return "decided";
  };
  const { page, errors, go } = await consoles.signIn(world.tokens.admin(ADMIN));
  const place = `businesses/${business.id}/transactions/${id}`;
  const decide = async (label: string) => {
    await page.getByRole("button", { name: label, exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Note").fill(`${label}, by the bank`);
    await dialog.getByRole("button", { name: "Continue" }).click();
    await dialog.getByRole("button", { name: label, exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByText(`${label}, by the bank`).first().waitFor();
  };
  await go(place);
  await page.getByText(problem).waitFor();
  expect(await page.getByRole("button", { name: "Returned" }).count()).toBe(0);
  await decide("Settle");
  expect(await page.getByText(problem).count()).toBe(0);
  expect(await world.status(business, id, "SUCCESS")).toMatchObject({ needsAttention: false });

  answers.query = { kind: "settled", askAfterMs: DAY_MS, ...sum, problem };
  await world.call("payouts.railNotified", { id, method: "ACH" });
  await until(async () => books.payouts.findOne({ _id: id, needsAttention: true }));
  await go("");
  await page.getByText(problem).waitFor();
  await go(place);
  expect(await page.getByRole("button", { name: "Fail", exact: true }).count()).toBe(0);
  await page.getByRole("button", { name: "Confirm success" }).waitFor();
  await decide("Returned");
  await world.status(business, id, "FAILED");
  expect(await world.balance(business, wallet)).toBe("100.00");
  expect(errors).toEqual([]);
  answers.submit = { kind: "unknown" };
  answers.query = { kind: "unknown" };
  delete rail.decide;
});

test("an operator finds by its id what it is and where it is", async () => {
  const user = await world.user(business);
  const wallet = await world.wallet(business, user, 100);
  const payout = dataOf(await world.withdraw(user, await world.bank(business, wallet)), 200).id;
  const { page } = await consoles.signIn(world.tokens.admin(ADMIN));
  const find = async (id: string) => {
    await page.getByRole("searchbox", { name: "Find" }).fill(id);
    await page.keyboard.press("Enter");
  };
  await find(` ${payout} `);
  await page.getByRole("heading", { name: "Payout of USD 25.25" }).waitFor();
  // "Back" does not lead to the search, which would lead here again.
  await page.goBack();
  await page.getByRole("heading", { name: "Needs attention" }).waitFor();
  // A wallet has no page of its own.
  await find(wallet.id);
  await page.getByRole("row").filter({ hasText: "Wallet" }).getByRole("link").waitFor();
  await find(randomUUID());
  await page.getByText("Nothing has this id").waitFor();
  // Within a business the search takes what its business can type.
  await page.goto(`${world.http.url}/console#/businesses/${business.id}`);
  await page.getByRole("heading", { name: "Transactions" }).waitFor();
  await find("lovelace");
  const found = page.getByRole("region", { name: "Transactions: by recipient's name" });
  await found.locator(`a[href$="${payout}"]`).waitFor();
});

test("a merchant cancels a payout, and is told why another one cannot be cancelled", async () => {
  const user = await world.user(business);
  const wallet = await world.wallet(business, user, 100);
  const bank = await world.bank(business, wallet);
  const { page, errors, go } = await consoles.signIn(business.token);
  const dialog = page.getByRole("dialog");
  const cancel = page.getByRole("button", { name: "Cancel payout" });
  const tryToCancel = async () => {
    await go(`transactions/${dataOf(await world.withdraw(user, bank), 200).id}`);
    await page.getByText("can be cancelled unless the bank has begun to pay").waitFor();
    await cancel.click();
    await dialog.getByText("USD 25.25, the amount and its fee, goes back").waitFor();
    await dialog.getByRole("button", { name: "Continue" }).click();
    await dialog.getByText("payrail tries to cancel the payout of USD 25.25").waitFor();
    await dialog.getByRole("button", { name: "Cancel payout" }).click();
  };
  answers.cancel = "no";
  await tryToCancel();
  await dialog.getByText("could not be cancelled: the bank has begun to pay").waitFor();
  await dialog.getByRole("button", { name: "Done" }).click();
  answers.cancel = "cancelled";
  await tryToCancel();
  await dialog.getByText("is cancelled. USD 25.25 is back in the wallet").waitFor();
  await dialog.getByRole("button", { name: "Done" }).click();
  // The state and its button change together.
  await page.getByText("Payment was cancelled. USD 25.25").waitFor();
  expect(await cancel.count()).toBe(0);
  expect(errors).toEqual([]);
});

test("a merchant finds a payout by all that people know of it, and reads for whom it is", async () => {
  const other = await world.business();
  const user = await world.user(other, { email: "grace@example.com" });
  const wallet = await world.wallet(other, user, 100);
  const bank = await world.bank(other, wallet, "0001");
  const { id } = dataOf(await world.withdraw(user, bank, { amount: 31 }), 200);
  const { page, errors, go } = await consoles.signIn(other.token);
  for (const [known, section] of [
    ["lovelace", "Transactions: by recipient's name"],
    ["grace@", "Transactions: by email"],
    ["•••• 0001", "Transactions: by last four digits"],
    ["USD 31.25", "Transactions: by amount"],
    ["0001", "Transactions: by last four digits"],
    ["31.25", "Transactions: by amount"],
  ] as const) {
    await page.getByRole("searchbox", { name: "Find" }).fill(known);
    await page.keyboard.press("Enter");
    const found = page.getByRole("region", { name: section });
    await found.getByText("Ada Lovelace, First Bank •••• 0001").waitFor();
  }
  await page.getByRole("searchbox", { name: "Find" }).fill(id);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Payout of USD 31.25 to Ada Lovelace" }).waitFor();
  await page.getByRole("link", { name: "USD wallet of grace@example.com" }).waitFor();
  await page.getByRole("link", { name: "grace@example.com", exact: true }).waitFor();
  // A linked account has no page of its own: the payouts to it are listed.
  await page.getByRole("searchbox", { name: "Find" }).fill(bank.id);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Transactions" }).waitFor();
  await go(`find?q=${randomUUID()}`);
  await page.getByText("Nothing of yours has this id").waitFor();
  expect(errors).toEqual([]);
});

test("a merchant pays somebody from the business's wallet, once for a reference", async () => {
  const other = await world.business();
  const user = await world.user(other);
  await world.bank(other, await world.wallet(other, user), "0001");
  const own = await world.wallet(other, other, 100);
  const { page, errors, go } = await consoles.signIn(other.token);
  await go("transactions");
  await page.getByRole("link", { name: "Pay someone" }).click();
  await page.getByRole("button", { name: "Pay", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Pay" });
  await dialog.getByLabel("Amount").fill("20");
  await dialog.getByLabel("From").selectOption({ label: "USD 100.00 of the business" });
  await dialog.getByLabel("What for").fill("Sales of November");
  const reference = await dialog.getByLabel("Reference").inputValue();
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByText("USD 20.00 goes to Ada Lovelace, First Bank •••• 0001").waitFor();
  expect(await world.balance(other, own)).toBe("100.00");
  await dialog.getByRole("button", { name: "Pay", exact: true }).click();
  await dialog.getByRole("link", { name: "Follow the payout" }).click();
  await page.getByRole("heading", { name: "Payout of USD 20.25 to Ada Lovelace" }).waitFor();
  await page.getByText(reference).waitFor();
  expect(await world.balance(other, own)).toBe("79.75");
  expect(errors).toEqual([]);
});

/** The event of a delivery that payrail has given up. */
async function deadLetter(other: TestBusiness, hook: TestHook): Promise<string> {
  hook.answerWith(500);
  const user = await world.user(other);
  const bank = await world.bank(other, await world.wallet(other, user, 100));
  dataOf(await world.withdraw(user, bank), 200);
  const path = `webhooks/${hook.id}/deliveries?status=DEAD_LETTER`;
  return until(async () => (await listed(path, other))[0]?.eventId);
}

// biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
async function listed(what: string, { id, token }: TestBusiness): Promise<any[]> {
  return dataOf(await world.http.get(`/v1/business/${id}/${what}`, { token }), 200);
}

test("an operator has a dead letter sent again", async () => {
  const other = await world.business();
  const hook = await world.hook(other);
  const id = await deadLetter(other, hook);
  const { page, errors } = await consoles.signIn(world.tokens.admin(ADMIN));
  await page.getByLabel("Kind").selectOption("delivery");
  await page.getByRole("link", { name: "Delivery" }).first().click();
  await page.getByText("Why it is a dead letter").waitFor();
  // The request and the answers to it stand on the page.
  await page.getByText('"eventType": "WITHDRAWAL"').waitFor();
  await page.getByText("Answer 500").first().waitFor();
  hook.answerWith(200);
  await page.getByRole("button", { name: "Send again" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Note").fill("The merchant's server is back");
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByRole("button", { name: "Send again" }).click();
  await dialog.waitFor({ state: "detached" });
  await until(async () => hook.received.some(({ headers }) => headers["webhook-id"] === id));
  expect(errors).toEqual([]);
});

test.each(["a merchant", "an operator"])("%s finds an end user, and what it has", async (who) => {
  const email = `${randomUUID()}@found.test`;
  const user = await world.user(business, { email, externalIdentifier: randomUUID() });
  const wallet = await world.wallet(business, user, 100);
  const bank = await world.bank(business, wallet);
  await world.wallet(business, user, 7, "EUR");
  const { id: payout } = dataOf(await world.withdraw(user, bank), 200);
  const isOperator = who === "an operator";
  const token = isOperator ? world.tokens.admin(ADMIN) : business.token;
  const { page, errors, go } = await consoles.signIn(token);
  await go(isOperator ? `businesses/${business.id}/end-users` : "end-users");
  await page.getByLabel("Email or external id").fill(email.slice(5).toUpperCase());
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: email }).click();
  await page.getByRole("heading", { name: email }).waitFor();
  expect(await page.title()).toBe(`${email} · payrail`);
  for (const text of ["USD 74.75", "EUR 7.00", "First Bank •••• 6789"]) {
    await page.getByText(text, { exact: true }).waitFor();
  }
  await page.getByRole("heading", { name: "Linked accounts in EUR" }).waitFor();
  const payouts = page.getByRole("table", { name: "Payouts from these wallets" });
  await payouts.locator(`a[href$="${payout}"]`).waitFor();
  await page.getByRole("link", { name: "Payouts to it" }).click();
  const transactions = page.getByRole("table", { name: "Transactions" });
  await transactions.locator(`a[href$="${payout}"]`).waitFor();
  expect(errors).toEqual([]);
});

test("the row of an endpoint is red while it fails, not because it is switched off", async () => {
  const other = await world.business();
  const hook = await world.hook(other);
  const off = await world.hook(other);
  const path = `/v1/business/${other.id}/webhooks`;
  const disabled = { ...other, body: { disabled: true } };
  expect((await world.http.request("PATCH", `${path}/${off.id}`, disabled)).status).toBe(200);
  await deadLetter(other, hook);
  const failing = async () => {
    const { data } = (await world.http.get(`${path}/${hook.id}`, other)).body;
    return data.health.failingSince;
  };
  await until(failing);
  const { page, go } = await consoles.signIn(other.token);
  await go("webhooks");
  await page.getByText("Failing", { exact: true }).waitFor();
  const red = page.locator("tbody tr.bad");
  expect(await red.count()).toBe(1);
  expect(await red.textContent()).toContain("Failing");
});

test("a merchant sees that its billing is held, and an operator releases it", async () => {
  const usage = { recurringCharge: { type: "consumption" } };
  const subscription = await world.subscription(business, usage);
  await holdBilling(payments.db.collection("subscriptions"), Date.now());
  const merchant = await consoles.signIn(business.token);
  await merchant.go(`subscriptions/${subscription}`);
  const flag = merchant.page.getByText("Billing held", { exact: true });
  await flag.waitFor();
  await merchant.page.getByText("Report again what has happened").waitFor();

  const { page, errors, go } = await consoles.signIn(world.tokens.admin(ADMIN));
  await go(`businesses/${business.id}`);
  await page.getByRole("button", { name: "Release billing" }).click();
  const dialog = page.getByRole("dialog", { name: "Release billing" });
  await dialog.getByLabel("Note").fill("The merchant has reported again");
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByRole("button", { name: "Release billing" }).click();
  await dialog.getByText("Released: 1. Still held, of all businesses: 0.").waitFor();
  await dialog.getByRole("button", { name: "Done" }).click();
  await go("audit-log");
  await page.getByText("The merchant has reported again").first().waitFor();

  await merchant.page.getByRole("button", { name: "Refresh" }).first().click();
  await flag.waitFor({ state: "detached" });
  expect([...errors, ...merchant.errors]).toEqual([]);
});

test("a merchant signs in with a client's credentials, and is asked to sign in when they end", async () => {
  const other = await world.business();
  const { page, errors } = await consoles.open();
  await page.getByLabel("Client id").fill(other.clientId);
  await page.getByLabel("Client secret").fill("wrong");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByText("These are no valid credentials").waitFor();
  await page.getByLabel("Client secret").fill(other.clientSecret);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("link", { name: "Transactions" }).click();
  await page.getByText("There is no transaction yet.").waitFor();
  // No script can read the session.
  const cookies = await page.context().cookies();
  expect(cookies).toMatchObject([{ name: "payrail", httpOnly: true, sameSite: "Strict" }]);
  expect(await page.evaluate("document.cookie")).toBe("");
  await page.context().clearCookies();
  await page.getByRole("button", { name: "Refresh" }).click();
  await page.getByText("Your session has ended").waitFor();
  expect(errors).toEqual([]);
});

test("filters are in the address, and a list is a file without formulas", async () => {
  const other = await world.business();
  const user = await world.user(other);
  const wallet = await world.wallet(other, user, 1_000);
  const bank = await world.bank(other, wallet);
  for (const reason of ["=HYPERLINK(1)", "<img src=x onerror=alert(1)>"]) {
    dataOf(await world.withdraw(user, bank, { amount: 25, reason }), 200);
  }
  const { page, go, errors } = await consoles.signIn(other.token);
  await go("transactions");
  await page.getByLabel("Kind").selectOption("FUNDING");
  await page.getByText("=HYPERLINK(1)").waitFor({ state: "detached" });
  expect(page.url()).toContain("#/transactions?flow=FUNDING");
  await page.reload();
  expect(await page.getByLabel("Kind").inputValue()).toBe("FUNDING");
  await go("transactions?flow=WITHDRAWAL");
  await page.getByText("<img src=x onerror=alert(1)>").waitFor();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export CSV" }).click();
  const file = await readFile(await (await download).path(), "utf8");
  const lines = file.replace("\uFEFF", "").split("\r\n");
  expect(lines[0]).toBe(
    "Created,Kind,Status,Who,Amount,Fees,Currency,Reference,Reason,Direction,Failure code," +
      "Recipient's email,Bank,Last four digits,End user,External id,Metadata,Id",
  );
  expect(lines).toHaveLength(4);
  expect(lines[1]).toContain(",25.25,0.25,USD,,<img src=x onerror=alert(1)>,");
  expect(lines[2]).toContain(",'=HYPERLINK(1),");
  expect(errors).toEqual([]);
});

test("a merchant exports a month, from its opening to its closing balance", async () => {
  const other = await world.business();
  await world.wallet(other, other, 100);
  const { page, errors } = await consoles.signIn(other.token);
  await page.getByRole("button", { name: "Export a month" }).click();
  const dialog = page.getByRole("dialog");
  const months = dialog.getByLabel("Month");
  const [thisMonth = ""] = await months.getByRole("option").allTextContents();
  await months.selectOption(thisMonth);
  await page.route("**/reports/balance?*", (route) => route.abort(), { times: 1 });
  await dialog.getByRole("button", { name: "Export a month" }).click();
  await dialog.getByText("payrail gave no answer.").waitFor();
  const download = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Export a month" }).click();
  const saved = await download;
  expect(saved.suggestedFilename()).toBe(`balance-USD-${thisMonth}.csv`);
  const lines = (await readFile(await saved.path(), "utf8")).split("\r\n");
  const kinds = lines.map((line) => line.split(",")[1]);
  expect(kinds).toEqual(["kind", "OPENING", "FUNDING", "CLOSING", undefined]);
  expect(lines.at(-2)).toMatch(/,CLOSING,,,,,,100[.]00,,$/);
  await dialog.waitFor({ state: "detached" });
  expect(errors).toEqual([]);
});

test("a merchant makes a payment link, which a customer pays, and refunds a part", async () => {
  const other = await world.business();
  const { page, go, errors } = await consoles.signIn(other.token);
  await page.getByRole("button", { name: "Open collection account" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Open collection account" }).click();
  await dialog.waitFor({ state: "detached" });
  await go("payment-links/new");
  await page.getByRole("spinbutton", { name: "Amount" }).fill("40");
  const texts = page.getByRole("group", { name: "What the customer sees" });
  await texts.getByLabel("Name").fill("Spring sale");
  await texts.getByLabel("Delivery address").fill("1 Main St");
  await texts.getByLabel("Further questions").fill("Size\nColour");
  await texts.getByLabel("Ask for the shipping address").check();
  const item = page.getByRole("group", { name: "Item 1" });
  await item.getByLabel("Name").fill("Tulips");
  await item.getByLabel("Description").fill("A dozen, red");
  await page.getByLabel("Colour of buttons").fill("#aa3366");
  const preview = page.getByRole("region", { name: "Preview" });
  await preview.getByText("USD 40.00").waitFor();
  await preview.getByText("Phone number, Shipping address, Size, Colour").waitFor();
  await page.getByRole("button", { name: "Create payment link" }).click();
  await page.getByRole("heading", { name: "Spring sale" }).waitFor();
  await page.getByRole("img", { name: /QR code/ }).waitFor();

  const [{ id }] = await listed("payment-links", other);
  const path = `/v1/business/${other.id}/payment-links/${id}`;
  const { url } = dataOf(await world.http.get(path, { token: other.token }), 200);
  const token = new URL(url).pathname.split("/").at(-1) as string;
  dataOf(await world.pay({ token }, await world.cardToken()), 200);

  await go("payments");
  await page.getByRole("row").getByRole("link").first().click();
  await page.getByRole("button", { name: "Refund" }).click();
  await dialog.getByLabel("How much").selectOption("part");
  await dialog.getByRole("spinbutton", { name: "Amount" }).fill("12.50");
  expect(await dialog.getByLabel("Reference").inputValue()).toMatch(/^refund-[0-9a-f]{8}$/);
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByText("12.50").waitFor();
  const [payment] = await listed("payments", other);
  expect(payment.refunded).toBe("0.00");
  await dialog.getByRole("button", { name: "Refund" }).click();
  await dialog.getByRole("button", { name: "Done" }).click();
  await until(async () => (await listed("payments", other))[0].refunded === "12.50");
  expect(errors).toEqual([]);
});

test("a payment link is copied into a new one, and a fee on top in euros is warned of", async () => {
  const other = await world.business();
  await world.paymentLink(other, { currency: "EUR" });
  const link = await world.paymentLink(other, {
    name: "Autumn sale",
    amount: 12.5,
    orderId: "1042",
    customUrlPath: "autumn",
    customFields: ["Size"],
    brandingConfig: { primaryColor: "#aa3366" },
    cartItems: [
      { name: "Asters", description: "A dozen" },
      { name: "Dahlias", description: "Five", qty: 2, price: 3 },
    ],
  });
  const { page, go, errors } = await consoles.signIn(other.token);
  await go(`payment-links/${link.id}`);
  await page.getByRole("link", { name: "Copy into a new link" }).click();
  await page.getByLabel("Currency").selectOption("EUR");
  await page.getByText("In the EU and the UK a fee on top is forbidden").waitFor();
  await page.getByLabel("Card fee").selectOption("false");
  await page.getByText("In the EU and the UK").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Create payment link" }).click();
  await page.getByRole("img", { name: /QR code/ }).waitFor();
  const [copy] = (await listed("payment-links?order=newest", other)) as { id: string }[];
  const shown = await listed(`payment-links/${copy?.id}`, other);
  expect(shown).toMatchObject({
    name: "Autumn sale",
    currency: "EUR",
    amount: 12.5,
    customerPays: false,
    customUrlPath: "autumn",
    customFields: ["Size"],
    brandingConfig: { primaryColor: "#aa3366" },
    cartItems: [
      { name: "Asters", description: "A dozen" },
      { name: "Dahlias", description: "Five", qty: 2, price: 3 },
    ],
  });
  expect(shown).not.toHaveProperty("orderId");
  expect(errors).toEqual([]);
});

test("account numbers are nowhere in the page, nor in its file", async () => {
  const other = await world.business();
  const user = await world.user(other);
  await world.bank(other, await world.wallet(other, user, 10));
  const [{ recipientData }] = await listed("linked-accounts/USD", other);
  const { accountNumber, routingNumber } = recipientData;
  const { page, go, errors } = await consoles.signIn(other.token);
  await go("linked-accounts");
  await page.getByText(`•••• ${accountNumber.slice(-4)}`).waitFor();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export CSV" }).click();
  const file = await readFile(await (await download).path(), "utf8");
  expect(file).toContain(`••••\u00a0${accountNumber.slice(-4)}`);
  for (const text of [file, await page.content()]) {
    expect(text).not.toContain(accountNumber);
    expect(text).not.toContain(routingNumber);
  }
  expect(errors).toEqual([]);
});

test("the first page is less than 150 KB", async () => {
  const { received } = await consoles.open();
  expect(received()).toBeGreaterThan(10_000);
  expect(received()).toBeLessThan(150_000);
});
