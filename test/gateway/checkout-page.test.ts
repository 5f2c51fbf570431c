// The hosted checkout page in a real browser. Customers pay and save cards by mouse and keyboard,
// and each payment is charged once. The page shows a merchant's markup as text, and sends card
// details only to the vault. checkout-page.deep.test.ts has what customers and merchants see less
// often.

import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import {
  type Checkout,
  cardLeft,
  fill,
  fillCard,
  paid,
  payButton,
  problem,
  startCheckout,
  subscribed,
} from "../support/checkout-page.ts";
import { cardNumber, dataOf, type TestBusiness, type World } from "../support/world.ts";

let checkout: Checkout;
let world: World;
let business: TestBusiness;

beforeAll(async () => {
  checkout = await startCheckout();
  ({ world, business } = checkout);
});
afterEach(() => checkout.closePages());
afterAll(() => checkout?.stop());

const focused = (page: Page) => page.locator(":focus").getAttribute("id");

describe("paying", () => {
  test("a customer pays and sees a receipt, also after a reload", async () => {
    const link = await world.paymentLink(business, { dataCollections: ["Gift message"] });
    const { page, errors } = await checkout.open(link);
    await fill(page);
    await page.getByLabel("Gift message").fill("With love");
    await payButton(page).click();
    await paid(page);
    expect(await page.getByText("$26.06").count()).toBeGreaterThan(1);
    const [payment, ...others] = await checkout.paymentsOf(link);
    expect(others).toEqual([]);
    expect(payment).toMatchObject({
      status: "SUCCEEDED",
      amount: "26.06",
      net: "25.00",
      card: { brand: "Visa", last4: "4242" },
      customer: { email: "ada@example.com", firstName: "Ada", lastName: "Lovelace" },
      metadata: { fields: { "Gift message": "With love" } },
    });
    await page.getByText(payment.id, { exact: true }).waitFor();
    const address = page.url();
    expect(address).toMatch(`#${payment.id}`);
    const kept = page.getByRole("link", { name: "Link to this receipt" });
    expect(await kept.getAttribute("href")).toBe(address);
    await page.reload();
    await paid(page);
    for (const fact of [payment.id, "Visa •••• 4242", "$26.06"]) {
      await page.locator("#end").getByText(fact, { exact: true }).waitFor();
    }
    await page.getByRole("button", { name: "Print receipt" }).waitFor();
    expect(await payButton(page).isVisible()).toBe(false);
    expect(errors).toEqual([]);
    await world.verifyBooks();
  });

  test("a customer who comes back in the same browser sees the receipt, nobody else does", async () => {
    const link = await world.paymentLink(business, {
      isOpenLink: false,
      dataCollections: ["Shipping address"],
      brandingConfig: { logo: "https://logo.example.com/none.png" },
    });
    const broken = (each: Page) => each.route(/^https:/, (route) => route.abort());
    const { page } = await checkout.open(link, { prepare: broken });
    await page.locator("img").waitFor({ state: "detached" });
    await fill(page);
    await page.getByLabel("Street and number").fill("1 Main St");
    await page.getByLabel("Town or city").fill("New York");
    await payButton(page).click();
    await paid(page);
    const [payment] = await checkout.paymentsOf(link);
    expect(payment.metadata.fields).toEqual({ "Shipping address": "1 Main St, New York" });
    const [address = ""] = page.url().split("#", 1);
    await page.goto("about:blank");
    await page.goto(address);
    await paid(page);
    await page.locator("#end").getByText(payment.id, { exact: true }).waitFor();
    await page.getByRole("link", { name: "Deutsch" }).click();
    await page.getByRole("heading", { name: "Zahlung eingegangen" }).waitFor();
    const other = await checkout.open(link);
    await other.page.getByRole("heading", { name: "This has already been paid" }).waitFor();
    expect(await other.page.getByText(payment.id).count()).toBe(0);
  });

  test("the page in another language has what the customer has typed, without the card", async () => {
    const link = await world.paymentLink(business, { customFields: ["Gift note"] });
    const { page, errors } = await checkout.open(link);
    await fill(page);
    await page.getByLabel("Gift note").fill("Enjoy");
    await payButton(page).click();
    await paid(page);
    await page.reload();
    await page.getByRole("button", { name: "Pay once more" }).click();
    await page.getByLabel("First name").fill("Grace");
    await page.getByLabel("Card number").fill(cardNumber("4242"));
    await page.getByRole("link", { name: "Deutsch" }).click();
    await page.getByRole("button", { name: "26,06 $ zahlen" }).waitFor();
    expect(await page.getByLabel("Vorname").inputValue()).toBe("Grace");
    expect(await page.getByLabel("Kartennummer").inputValue()).toBe("");
    expect(await page.evaluate("sessionStorage.length")).toBe(0);
    expect(errors).toEqual([]);
  });

  test("after a decline only the security code is cleared, and another card pays", async () => {
    const link = await world.paymentLink(business);
    const { page } = await checkout.open(link);
    await fill(page, "0002");
    await payButton(page).click();
    await problem(page).getByText("Your card was declined.").waitFor();
    expect(await page.getByLabel("Email").inputValue()).toBe("ada@example.com");
    expect(await page.getByLabel("Card number").inputValue()).toMatch(/0002$/);
    expect(await page.getByLabel("Security code").inputValue()).toBe("");
    await fillCard(page, "4242");
    await payButton(page).click();
    await paid(page);
    const statuses = (await checkout.paymentsOf(link)).map(({ status }) => status);
    expect(statuses).toEqual(["FAILED", "SUCCEEDED"]);
  });

  test("a double click charges once", async () => {
    const link = await world.paymentLink(business);
    const { page } = await checkout.open(link);
    await fill(page);
    await payButton(page).dblclick();
    await paid(page);
    expect(await checkout.paymentsOf(link)).toHaveLength(1);
  });

  test("a paid closed link tells another customer that it has been paid", async () => {
    const link = await world.paymentLink(business, { isOpenLink: false });
    const [first, second] = [await checkout.open(link), await checkout.open(link)];
    await fill(first.page);
    await fill(second.page);
    await payButton(first.page).click();
    await paid(first.page);
    await payButton(second.page).click();
    await second.page.getByRole("heading", { name: "This has already been paid" }).waitFor();
    expect(await payButton(second.page).count()).toBe(0);
    expect(await checkout.paymentsOf(link)).toHaveLength(1);
  });
});

describe("saving a card", () => {
  test("a double click makes one subscription, which a reload shows again", async () => {
    const link = await world.recurringLink(business, { dataCollections: ["Company"] });
    const { page, errors } = await checkout.open(link);
    await page.getByText("Nothing is charged now. The first payment is on").waitFor();
    await fill(page);
    await page.getByLabel("Company").fill("Acme");
    await page.getByRole("button", { name: /^Subscribe: \$25\.00 on/ }).dblclick();
    await subscribed(page);
    expect(await focused(page)).toBe("end");
    const [subscription, ...others] = await checkout.subscriptionsOf(link);
    expect(others).toEqual([]);
    expect(subscription).toMatchObject({
      status: "trialing",
      card: { brand: "Visa", last4: "4242" },
      customer: { email: "ada@example.com" },
    });
    expect(await checkout.paymentsOf(link)).toEqual([]);
    await page.getByText("Visa •••• 4242").waitFor();
    await page.getByText("Nothing has been charged. The first payment will be on").waitFor();
    expect(await cardLeft(page)).toEqual(["", "", ""]);
    await page.reload();
    await subscribed(page);
    await page.getByText(subscription.id).waitFor();
    expect(await payButton(page).isVisible()).toBe(false);
    const address = page.url();
    await page.goto("about:blank");
    await page.goto(address);
    await subscribed(page);
    // The offer is a new one: its dates are not those of the customer's subscription.
    await page.getByText("You subscribed on this page").waitFor();
    expect(await page.locator(".total").isVisible()).toBe(false);
    const manage = page.getByRole("link", { name: "See or cancel your subscription" });
    const { pathname } = new URL((await manage.getAttribute("href")) ?? "");
    await page.goto(world.http.url + pathname);
    await page.getByRole("link", { name: "Cancel subscription" }).click();
    await page.getByRole("button", { name: "Cancel subscription" }).click();
    await page.getByText("It is cancelled. It ends on").waitFor();
    const { cancelAt } = await world.ofSubscription(business, subscription.id);
    expect(cancelAt).toBe("2030-01-01T00:00:00.000Z");
    expect(errors).toEqual([]);
  });
});

describe("accessibility", () => {
  test("the keyboard alone reaches every error, and each error belongs to its field", async () => {
    const link = await world.paymentLink(business);
    const { page } = await checkout.open(link);
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.localName")).toBe("summary");
    await page.keyboard.press("Tab");
    await page.keyboard.type("no address");
    await page.keyboard.press("Enter");
    await problem(page).getByText("Please check what you have filled in").waitFor();
    expect(await focused(page)).toBe("problem");
    expect(await problem(page).getByRole("link").count()).toBe(7);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    const email = page.getByLabel("Email");
    expect(await focused(page)).toBe("email");
    expect(await email.getAttribute("aria-invalid")).toBe("true");
    const describedBy = await email.getAttribute("aria-describedby");
    const message = await page.locator(`#${describedBy}`).textContent();
    expect(message).toBe("Enter an email address, such as ada@example.com.");
    expect(await checkout.paymentsOf(link)).toEqual([]);

    await page.keyboard.press("ControlOrMeta+A");
    for (const text of ["ada@example.com", "Ada", "Lovelace", "+1 555 0100"]) {
      await page.keyboard.type(text);
      await page.keyboard.press("Tab");
    }
    for (const text of ["4242424242424242", "1260", "123"]) {
      await page.keyboard.type(text);
      await page.keyboard.press("Tab");
    }
    expect(await page.locator("[aria-invalid]").count()).toBe(0);
    expect(await page.getByLabel("Card number").inputValue()).toBe("4242 4242 4242 4242");
    await page.keyboard.press("Enter");
    await paid(page);
    expect(await focused(page)).toBe("end");
  });
});

describe("security and size", () => {
  test("a merchant's markup is shown as text", async () => {
    const evil = `"'><img src=x onerror=hit()><script>hit()</script></style></title>`;
    const admin = world.tokens.admin(randomUUID());
    const fields = { name: evil, email: `evil-${randomUUID()}@example.com` };
    const { id } = dataOf(
      await world.http.post("/v1/admin/businesses", fields, { token: admin }),
      201,
    );
    const merchant = { ...business, id, token: world.tokens.merchant(id) };
    const short = evil.slice(0, 64);
    const link = await world.paymentLink(merchant, {
      name: evil,
      cartItems: [{ name: evil, description: evil }],
      dataCollections: [short, "onfocus=hit() autofocus"],
      customFields: [`action${short}`.slice(0, 64)],
    });
    const hits: string[] = [];
    const { page, errors } = await checkout.open(link, {
      prepare: (each) => each.exposeFunction("hit", () => hits.push("hit")),
    });
    await fill(page);
    await page.getByRole("textbox", { name: short }).first().fill(evil);
    await payButton(page).click();
    await paid(page);
    expect(await page.getByText(evil, { exact: true }).count()).toBeGreaterThanOrEqual(4);
    const counts = await page.evaluate("[document.images.length, document.scripts.length]");
    expect(counts).toEqual([0, 2]);
    expect({ hits, errors }).toEqual({ hits: [], errors: [] });
  });

  test("card details are sent only to the vault, and the browser stores none", async () => {
    const link = await world.paymentLink(business);
    const { page } = await checkout.open(link);
    const holders: string[] = [];
    const number = cardNumber("4242");
    page.on("request", (request) => {
      const sent = `${request.url()} ${request.postData() ?? ""}`;
      if (sent.includes(number)) holders.push(new URL(request.url()).pathname);
    });
    await fill(page);
    await payButton(page).click();
    await paid(page);
    expect(holders).toEqual(["/v1/sandbox/card-tokens"]);
    const stores = "[JSON.stringify(localStorage), sessionStorage.length, document.cookie]";
    const [kept = "", ...others] = await page.evaluate<string[]>(stores);
    expect(Object.keys(JSON.parse(kept))).toEqual([expect.stringMatching(/^payrail\.receipt /)]);
    for (const secret of ["4242", "Ada", "ada@"]) expect(kept).not.toContain(secret);
    expect(others).toEqual([0, ""]);
    expect(await cardLeft(page)).toEqual(["", "", ""]);
    expect(await page.locator("input:not([name]):not([data-own])").count()).toBe(3);
  });
});
