// The hosted checkout page in a real browser: languages, brands of cards, screens, redirects,
// refunds, limits, links for another card, and wrong input field by field. The page is small, and
// sends requests only to the gateway and to the merchant's image hosts.

import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import {
  type Checkout,
  cardLeft,
  fill,
  fillCard,
  paid,
  passTime,
  payButton,
  problem,
  startCheckout,
  subscribed,
} from "../support/checkout-page.ts";
import { until } from "../support/system.ts";
import {
  cardNumber,
  dataOf,
  type TestBusiness,
  type TestLink,
  type World,
} from "../support/world.ts";

const MAX_WEIGHT = 44 * 1024;

let checkout: Checkout;
let world: World;
let business: TestBusiness;

beforeAll(async () => {
  checkout = await startCheckout();
  ({ world, business } = checkout);
});
afterEach(() => checkout.closePages());
afterAll(() => checkout?.stop());

describe("paying", () => {
  test("a receipt says what of it was paid back", async () => {
    const link = await world.paymentLink(business);
    const { page } = await checkout.open(link);
    await fill(page);
    await payButton(page).click();
    await paid(page);
    expect(await page.getByText("Refunded").count()).toBe(0);
    const [{ id }] = await checkout.paymentsOf(link);
    const path = `/v1/business/${business.id}/payments/${id}/refunds`;
    await world.http.post(path, { amount: 5, reference: "a" }, { token: business.token });
    await page.reload();
    await page.getByText("Refunded").waitFor();
    await page.locator("#end").getByText("$5.00", { exact: true }).waitFor();
    await world.verifyBooks();
  });

  test("the page speaks the browser's language, also of declines and wrong fields", async () => {
    const link = await world.paymentLink(business);
    const { page } = await checkout.open(link, { locale: "de-DE" });
    await page.getByRole("button", { name: "26,06 $ zahlen" }).click();
    await problem(page).getByText("Geben Sie Ihren Vornamen ein.").waitFor();
    const values = { "E-Mail": "ada@example.com", Vorname: "Ada", Nachname: "Lovelace" };
    const card = { Kartennummer: cardNumber("0002"), "Gültig bis": "12 / 60", Prüfnummer: "123" };
    for (const [label, value] of Object.entries({ ...values, ...card })) {
      await page.getByLabel(label).fill(value);
    }
    await page.getByLabel("Telefonnummer").fill("+49 30 901820");
    await payButton(page).click();
    await problem(page).getByText("Ihre Karte wurde abgelehnt.").waitFor();
    await page.getByLabel("Kartennummer").fill(cardNumber("4242"));
    await page.getByLabel("Prüfnummer").fill("123");
    await payButton(page).click();
    await page.getByRole("heading", { name: "Zahlung eingegangen" }).waitFor();
    await page.locator("#end").getByText("26,06 $", { exact: true }).waitFor();
  });

  test.each([
    ["Visa", "4242 4242"],
    ["Mastercard", "5555 5555"],
    ["Amex", "3782 822463"],
  ])("the number of a card shows its brand %s as it is typed", async (brand, shown) => {
    const { page } = await checkout.open(await world.paymentLink(business));
    await page.getByLabel("Card number").pressSequentially(shown.replace(" ", ""));
    await page.getByText(brand, { exact: true }).waitFor();
    expect(await page.getByLabel("Card number").inputValue()).toBe(shown);
  });

  test("on a phone the items are folded and the form begins on the first screen", async () => {
    const cartItems = Array.from({ length: 9 }, (_, i) => ({
      name: `Item ${i}`,
      description: "x",
    }));
    const link = await world.paymentLink(business, { cartItems });
    const { page } = await checkout.open(link, { size: "phone" });
    const email = await page.getByLabel("Email").boundingBox();
    expect(email?.y).toBeLessThan(600);
    expect(await page.getByText("Item 0").isVisible()).toBe(false);
    await page.getByText("Details", { exact: true }).click();
    expect(await page.getByText("Item 0").isVisible()).toBe(true);
    expect(await page.getByText("Item 8").isVisible()).toBe(false);
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    expect(await page.getByText("Item 8").isVisible()).toBe(true);
    const desk = await checkout.open(link, { size: "desk" });
    expect(await desk.page.getByText("Item 0").isVisible()).toBe(true);
  });

  test("after a payment the page goes to the merchant's redirect", async () => {
    const link = await world.paymentLink(business, {
      redirectTo: "https://shop.example.com/thanks",
    });
    const { page } = await checkout.open(link, {
      prepare: async (each) => {
        await each.clock.install();
        await each.route("https://shop.example.com/**", (route) => {
          return route.fulfill({ contentType: "text/html", body: "<h1>Thanks</h1>" });
        });
      },
    });
    await fill(page);
    await payButton(page).click();
    await paid(page);
    const onward = page.getByRole("link", { name: "Continue to shop.example.com" });
    expect(await onward.getAttribute("href")).toBe("https://shop.example.com/thanks");
    await passTime(page, page.getByRole("heading", { name: "Thanks" }));
    expect(page.url()).toBe("https://shop.example.com/thanks");
  });

  test("a customer with too many declines learns when to try again", async () => {
    const link = await world.paymentLink(business);
    const token = await world.cardToken("0002");
    for (let i = 0; i < 11; i++) await world.pay(link, token);
    const { page } = await checkout.open(link);
    await fill(page);
    await payButton(page).click();
    await problem(page).getByText("There were too many attempts.").waitFor();
    await problem(page)
      .getByText(/try again in \d+ minutes?\./)
      .waitFor();
  });
});

describe("saving a card", () => {
  const cardSaved = (page: Page) =>
    page.getByRole("heading", { name: "Your card is saved" }).waitFor();
  async function methodLink(merchant: TestBusiness, id: string): Promise<TestLink> {
    const made = await world.toSubscription(merchant, id, "payment-method-link");
    const { url } = dataOf(made, 201);
    return { id, url, token: url.split("/").at(-1) };
  }

  test("the page repeats a set-up with a lost answer under the same key", async () => {
    const link = await world.recurringLink(business);
    const keys: (string | null)[] = [];
    const { page } = await checkout.open(link, {
      prepare: async (each) => {
        await each.clock.install();
        await each.route("**/setup", async (route) => {
          keys.push(await route.request().headerValue("idempotency-key"));
          if (keys.length > 7) return route.continue();
          if (keys.length < 3) await route.fetch();
          return route.abort();
        });
      },
    });
    await fill(page);
    await payButton(page).click();
    await passTime(page, problem(page).getByText("We do not know yet whether your card was saved"));
    expect(await page.getByLabel("Card number").isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Try again" }).click();
    await passTime(page, page.getByRole("heading", { name: "You are subscribed" }));
    expect(keys.length).toBeGreaterThan(7);
    expect(new Set(keys)).toEqual(new Set([expect.stringMatching(/^[\da-f]{32}$/)]));
    expect(await checkout.subscriptionsOf(link)).toHaveLength(1);
  });

  test("a used closed link tells another customer that it has been used", async () => {
    const redirectTo = "https://shop.example.com/welcome";
    const link = await world.recurringLink(business, { isOpenLink: false, redirectTo });
    const [first, second] = [await checkout.open(link), await checkout.open(link)];
    await fill(first.page);
    await fill(second.page);
    await payButton(first.page).click();
    await subscribed(first.page);
    const onward = first.page.getByRole("link", { name: "Continue to shop.example.com" });
    expect(await onward.getAttribute("href")).toBe(redirectTo);
    await payButton(second.page).click();
    await second.page
      .getByRole("heading", { name: "This subscription is already set up" })
      .waitFor();
    expect(await payButton(second.page).count()).toBe(0);
    expect(await checkout.subscriptionsOf(link)).toHaveLength(1);
  });

  test("another card is saved without a customer's data, and pays the due amount", async () => {
    const merchant = await world.business();
    const id = await world.subscription(merchant, {}, "0341");
    await world.testClock(merchant, "2030-01-01T00:00:00.000Z");
    const { page, errors } = await checkout.open(await methodLink(merchant, id));
    await page.getByText("$25.00 is not paid yet, and is charged as soon as").waitFor();
    expect(await page.getByLabel("Email").count()).toBe(0);
    await fillCard(page, "0341");
    await page.getByRole("button", { name: "Save card" }).click();
    await cardSaved(page);
    await page.getByText("What is due could not be charged to it yet.").waitFor();

    const again = await checkout.open(await methodLink(merchant, id));
    await fillCard(again.page, "4242");
    await payButton(again.page).click();
    await cardSaved(again.page);
    await again.page.getByText("It is charged from now on.").waitFor();
    expect(await world.ofSubscription(merchant, id)).toMatchObject({
      status: "active",
      card: { last4: "4242" },
    });
    expect([...errors, ...again.errors]).toEqual([]);
    await world.verifyBooks();
  });
});

describe("accessibility", () => {
  test.each([
    ["Card number", "4242 4242 4242 4241", "Enter a valid card number."],
    ["Expiry date", "01 / 20", "This card has expired."],
    ["Expiry date", "13 / 60", "Enter the expiry date as month and year, such as 12 / 30."],
    ["Security code", "12", "Enter the 3 or 4 digits of the security code."],
    ["Phone number", "call me", "Enter a phone number, such as +1 555 0100."],
  ])("%s %s is refused before anything is sent", async (label, value, message) => {
    const { page } = await checkout.open(await world.paymentLink(business));
    const sent: string[] = [];
    page.on("request", (request) => sent.push(request.url()));
    await fill(page);
    await page.getByLabel(label).fill(value);
    await payButton(page).click();
    await problem(page).getByText(message).waitFor();
    expect(await page.getByLabel(label).getAttribute("aria-invalid")).toBe("true");
    expect(sent).toEqual([]);
  });
});

describe("security and size", () => {
  test("the page is below 44 KB and loads only from the gateway and the image hosts", async () => {
    const plain = await world.paymentLink(business);
    const withImages = await world.paymentLink(business, {
      brandingConfig: { logo: "https://logo.example.com/logo.png" },
      cartItems: [{ name: "A", description: "B", imageUrl: "https://cdn.example.com:8443/a.png" }],
    });
    const origins = new Set<string>();
    let weight = 0;
    const watch = async (page: Page) => {
      page.on("request", (request) => origins.add(new URL(request.url()).origin));
      page.on("response", async (response) => {
        // A response has no body after the browser has left its page.
        weight += (await response.body().catch(() => "")).length;
      });
      await page.route(/^https:/, (route) => route.fulfill({ status: 204 }));
    };
    await checkout.open(plain, { prepare: watch });
    expect([...origins]).toEqual([world.http.url]);
    await until(() => weight > 0, { awaited: "the page's weight" });
    expect(weight).toBeLessThan(MAX_WEIGHT);

    const { page, errors } = await checkout.open(withImages, { prepare: watch, size: "desk" });
    await until(() => origins.size === 3, { awaited: "requests for both images" });
    await fill(page);
    await payButton(page).click();
    await paid(page);
    const asked = [world.http.url, "https://logo.example.com", "https://cdn.example.com:8443"];
    expect([...origins].toSorted()).toEqual(asked.toSorted());
    expect(errors).toEqual([]);
  });

  test("the card's fields are empty while the payment is being processed", async () => {
    const { page } = await checkout.open(await world.paymentLink(business));
    await page.route("**/payments{,/*}", (route) =>
      route.fulfill({ json: { success: true, data: { id: randomUUID(), status: "PENDING" } } }),
    );
    await fill(page);
    await payButton(page).click();
    await page.getByRole("heading", { name: "Your payment is being processed" }).waitFor();
    expect(await cardLeft(page)).toEqual(["", "", ""]);
  });

  test("without scripts the page asks for JavaScript, and its fields are disabled", async () => {
    const link = await world.paymentLink(business);
    const { page } = await checkout.open(link, { javaScriptEnabled: false });
    await page.locator("noscript p").waitFor();
    expect(await page.getByLabel("Card number").isDisabled()).toBe(true);
    expect(await payButton(page).isDisabled()).toBe(true);
  });
});
