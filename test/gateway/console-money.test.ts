// The console in a real browser: money that operators and merchants credit, correct, move, stop,
// limit and review, and new businesses.

import { randomUUID } from "node:crypto";
import type { Locator, Page } from "playwright-core";
import { type Consoles, startConsoles } from "../support/console-page.ts";
import { until } from "../support/system.ts";
import { dataOf, startWorld, type World } from "../support/world.ts";

let world: World;
let consoles: Consoles;
beforeAll(async () => {
  world = await startWorld();
  consoles = await startConsoles(world);
});
afterEach(() => consoles?.closePages());
afterAll(async () => {
  await consoles?.close();
  await world?.verifyBooks();
  await world?.stop();
});

test("an operator makes a business, whose first secret is shown once", async () => {
  const { page, errors, go } = await consoles.signIn(world.tokens.admin(randomUUID()));
  const name = `Acme ${randomUUID()}`;
  await go("businesses");
  await page.getByRole("button", { name: "New business" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByLabel("Email").fill("payments@acme.example");
  await page.keyboard.press("Enter");
  await dialog.getByText("it is not shown again").waitFor();
  const clientId = await dialog.locator("code").nth(1).textContent();
  const clientSecret = await dialog.locator("code").nth(2).textContent();
  await dialog.getByRole("button", { name: `Copy ${clientSecret}` }).waitFor();
  await dialog.getByRole("button", { name: "Done" }).click();
  await page.getByRole("link", { name }).click();
  await page.getByText("The business has no wallet of its own").waitFor();
  const merchant = await consoles.open();
  await merchant.page.getByLabel("Client id").fill(clientId as string);
  await merchant.page.getByLabel("Client secret").fill(clientSecret as string);
  await page.getByText(clientSecret as string).waitFor({ state: "detached" });
  await merchant.page.getByRole("button", { name: "Sign in", exact: true }).click();
  await merchant.page.getByRole("navigation", { name: "Pages" }).waitFor();
  expect([...errors, ...merchant.errors]).toEqual([]);
});

test("an operator funds and corrects a wallet, and freezes it, its owner and the business", async () => {
  const other = await world.business();
  const user = await world.user(other);
  const wallet = await world.wallet(other, user, 100);
  const { page, errors, go } = await consoles.signIn(world.tokens.admin(randomUUID()));
  const dialog = page.getByRole("dialog");
  const act = async (button: Locator, values: Record<string, string>, last?: string) => {
    const label = last ?? ((await button.textContent()) as string);
    await button.click();
    for (const [field, value] of Object.entries(values)) {
      const control = dialog.getByLabel(field);
      const isChoice = (await control.and(page.locator("select")).count()) === 1;
      await (isChoice ? control.selectOption(value) : control.fill(value));
    }
    await dialog.getByRole("button", { name: "Continue" }).click();
    await dialog.getByRole("button", { name: label, exact: true }).click();
  };
  const done = () => dialog.waitFor({ state: "detached" });
  const button = (name: string, at: Page | Locator = page) =>
    at.getByRole("button", { name, exact: true });
  const note = { Note: "The bank asked" };

  await go(`businesses/${other.id}/end-users/${user.id}`);
  await act(button("Fund"), { Amount: "20", Reference: "wire-311" });
  await done();
  const debit = { Direction: "DEBIT", Reference: "ticket-7", ...note };
  await act(button("Adjust"), { ...debit, Amount: "121" });
  await dialog.getByText("There is too little money").waitFor();
  await page.keyboard.press("Escape");
  await act(button("Adjust"), { ...debit, Amount: "70" });
  await done();
  expect(await world.balance(other, wallet)).toBe("50.00");

  const wallets = page.getByRole("region", { name: "Wallets" });
  await act(button("Freeze", wallets), note);
  await done();
  await wallets.getByText("Frozen by the operator: no money leaves it").waitFor();
  await act(button("Freeze"), note);
  await done();
  await page.getByText("Frozen by the operator: nothing is paid").waitFor();
  await act(button("Lift the freeze", wallets), note);
  await done();
  await button("Freeze", wallets).waitFor();

  await go(`businesses/${other.id}`);
  await page.getByText("Active", { exact: true }).waitFor();
  await act(button("Controls"), { Status: "FROZEN", ...note }, "Change");
  await done();
  await page.locator(".page-head").getByText("Frozen").waitFor();

  await page.getByLabel("Kind").selectOption("ADJUSTMENT");
  await page.getByRole("cell", { name: "Adjustment, debit" }).waitFor();
  expect(errors).toEqual([]);
});

test("a merchant moves money to an end user, and reads what the operator has frozen", async () => {
  const other = await world.business();
  const email = `${randomUUID()}@moved.test`;
  const user = await world.user(other, { email });
  const wallet = await world.wallet(other, user, 0);
  const own = await world.wallet(other, other, 100);
  const { page, errors, go } = await consoles.signIn(other.token);
  const dialog = page.getByRole("dialog");
  const main = page.getByRole("main");
  const move = async (to: string) => {
    await main.getByRole("button", { name: "Move money" }).click();
    await dialog.getByLabel("Amount").fill("40");
    await dialog.getByLabel("To").fill(to);
    await dialog.getByRole("button", { name: "Continue" }).click();
    await dialog.getByText(`USD 40.00 moves from the business to ${to}, at once.`).waitFor();
    await dialog.getByRole("button", { name: "Move money" }).click();
  };
  await go("transfers");
  // It is found only by its whole email, and the error stands beside the field.
  await move(email.slice(1));
  await dialog.locator(".field .wrong", { hasText: "No end user has the email" }).waitFor();
  await page.keyboard.press("Escape");
  await move(email.toUpperCase());
  await dialog.waitFor({ state: "detached" });
  expect(await world.balance(other, wallet)).toBe("40.00");
  await page.getByRole("table", { name: "Transfers" }).getByRole("link").first().click();
  await page.getByRole("heading", { name: "Transfer of USD 40.00" }).waitFor();
  await page.getByRole("link", { name: "Own USD wallet" }).waitFor();
  await page.getByRole("link", { name: `USD wallet of ${email}` }).click();

  await page.getByRole("button", { name: "Low balance" }).click();
  await dialog.getByLabel("Tell below").fill("12.5");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("USD 12.50").waitFor();
  await page.getByRole("button", { name: "Low balance" }).click();
  await dialog.getByLabel("Tell below").fill("");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("USD 12.50").waitFor({ state: "detached" });

  const path = `/v1/admin/businesses/${other.id}/wallets/${own.id}/freeze`;
  const admin = { token: world.tokens.admin(randomUUID()) };
  dataOf(await world.http.put(path, { frozen: true, note: "Stolen" }, admin), 200);
  const shown = `/v1/business/${other.id}/wallets/${own.id}`;
  await until(async () => dataOf(await world.http.get(shown, { token: other.token }), 200).frozen);
  await go("transfers");
  await move(email);
  await dialog.getByText("The operator of payrail has frozen the wallet").waitFor();
  await go("");
  await page.getByText("Frozen by the operator: no money leaves it").waitFor();
  expect(errors).toEqual([]);
});

test("a merchant limits what it pays out, and reads which limit a payout is above", async () => {
  const other = await world.business();
  const user = await world.user(other);
  await world.bank(other, await world.wallet(other, user, 100));
  const { page, errors, go } = await consoles.signIn(other.token);
  const dialog = page.getByRole("dialog");
  await go("limits");
  await page.getByRole("button", { name: "New limit" }).click();
  await dialog.getByLabel("Greatest number of payouts").fill("0");
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByText("At most 0 payouts a day in USD, for the business").waitFor();
  await dialog.getByRole("button", { name: "New limit" }).click();
  await dialog.locator(".field .wrong").waitFor();
  await dialog.getByLabel("Greatest number of payouts").fill("");
  await dialog.getByLabel("Greatest amount").fill("30");
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByRole("button", { name: "New limit" }).click();
  await dialog.waitFor({ state: "detached" });
  const use = () => world.http.get("/v1/ext/withdrawal-limits", { token: other.token });
  await until(async () => dataOf(await use(), 200).length > 0);
  await page.getByRole("button", { name: "Refresh" }).click();
  const rows = page.getByRole("table", { name: "Use of all limits" });
  await rows.getByText("USD 30.00 a day, for the business as a whole").waitFor();

  await go("linked-accounts");
  await page.getByRole("button", { name: "Pay", exact: true }).click();
  await dialog.getByLabel("Amount").fill("31");
  await dialog.getByLabel("What for").fill("Sales of November");
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByRole("button", { name: "Pay", exact: true }).click();
  await dialog.getByText("above a limit: USD 30.00 a day, for the business as a whole").waitFor();
  await dialog.getByText("It begins anew at").waitFor();

  await go("limits");
  await page.getByRole("button", { name: "Remove" }).click();
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByRole("button", { name: "Remove" }).click();
  await page.getByText("There is no limit yet").waitFor();
  // The button has gone with its row, and the focus has stayed in the page.
  await page.locator("h1:focus", { hasText: "Limits" }).waitFor();
  expect(errors).toEqual([]);
});

test("an operator reads which limit of either side a person has used up", async () => {
  const { business, user, wallet } = await world.payer(100);
  const bank = await world.bank(business, wallet);
  const admin = world.tokens.admin(randomUUID());
  const limit = { scope: "business", currency: "USD", per: "day", amount: "25.00" };
  const own = `/v1/business/${business.id}/limits`;
  dataOf(await world.http.put(own, { limits: [limit] }, { token: business.token }), 200);
  const body = { limits: [{ ...limit, scope: "entity", count: 3 }], note: "As in the contract" };
  const path = `/v1/admin/businesses/${business.id}`;
  const set = await world.http.put(`${path}/limits`, body, { token: admin });
  dataOf(set, 200);
  const use = () => world.http.get(`${path}/withdrawal-limits`, { token: admin });
  await until(async () => (await use()).body.data?.length === 3);
  dataOf(await world.withdraw(user, bank), 200);
  expect((await world.withdraw(user, bank)).body.code).toBe("limit_exceeded");

  const { page, errors, go } = await consoles.signIn(admin);
  const row = (text: string) =>
    page.getByRole("table", { name: "Use of all limits" }).getByRole("row", { name: text });
  await go(`businesses/${business.id}/end-users/${user.id}`);
  await row("USD 25.00 a day, for the business as a whole").getByText("Used up").waitFor();
  await row("3 payouts a day in USD, for each owner").getByText("2 payouts").waitFor();
  await go(`businesses/${business.id}/limits`);
  await row("USD 25.00 a day, for the business as a whole").getByText("Used up").waitFor();
  await row("3 payouts a day in USD, for each owner").getByText("0 payouts").waitFor();
  expect(errors).toEqual([]);
});

test("an operator denies a payout that waits for a review, and reads who has allowed another", async () => {
  const { business, user, wallet } = await world.payer(100);
  const payTo = async (firstName: string): Promise<string> => {
    const bank = await world.bank(business, wallet, "6789", { firstName, lastName: "Review" });
    return dataOf(await world.withdraw(user, bank), 200).id;
  };
  const [denied, allowed] = [await payTo("Grace"), await payTo("Katherine")];
  const admin = { token: world.tokens.admin(randomUUID()) };
  await until(async () => dataOf(await world.http.get("/v1/admin/reviews", admin), 200).length > 1);
  const merchant = await consoles.signIn(business.token);
  const { page, errors } = await consoles.signIn(admin.token);
  const dialog = page.getByRole("dialog");
  const button = (name: string, at: Page | Locator = page) =>
    at.getByRole("button", { name, exact: true });

  await page.getByRole("link", { name: "Reviews" }).click();
  const row = page.getByRole("row").filter({ hasText: "Grace Review" });
  await row.getByText("The name contains Review").waitFor();
  await button("Deny", row).click();
  await dialog.getByLabel("Note").fill("The same date of birth");
  await button("Continue", dialog).click();
  await dialog.getByText("The payout of USD 25.25 to Grace Review ends as failed").waitFor();
  await button("Deny", dialog).click();
  await row.waitFor({ state: "detached" });
  await world.status(business, denied, "FAILED");
  expect(await world.balance(business, wallet)).toBe("74.75");

  await page
    .getByRole("row")
    .filter({ hasText: "Katherine Review" })
    .getByRole("link")
    .first()
    .click();
  await page.getByText("Waits for a review").waitFor();
  await page.getByText("because the screening says: The name contains Review").waitFor();
  await page.getByText("Held for a review").waitFor();
  await merchant.go(`transactions/${allowed}`);
  await merchant.page.getByText("Accepted, but not confirmed by the bank yet").waitFor();
  expect(await merchant.page.getByRole("main").textContent()).not.toMatch(/screening|a review/i);

  // Another operator decides while the dialog is open.
  await button("Allow").click();
  await dialog.getByLabel("Note").fill("Another person");
  await button("Continue", dialog).click();
  const decision = { decision: "ALLOW", note: "Born in another year" };
  const path = `/v1/admin/transactions/${allowed}/review`;
  dataOf(await world.http.post(path, decision, admin), 200);
  await button("Allow", dialog).click();
  await dialog.getByText("The payout no longer waits for a review").waitFor();
  await page.keyboard.press("Escape");
  await page.getByText("Born in another year, by").waitFor();
  await button("Allow").waitFor({ state: "detached" });
  await world.status(business, allowed, "SUCCESS");
  expect([...errors, ...merchant.errors]).toEqual([]);
});
