// The hosted checkout page in a real browser. Customers pay and save cards by mouse and keyboard,
// and each payment is charged once. The page shows a merchant's markup as text, is small, sends
// requests only to the gateway and to the merchant's image hosts, and is accessible.

import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import {
  type Checkout,
  fill,
  fillCard,
  paid,
  passTime,
  payButton,
  problem,
  startCheckout,
} from "../support/checkout-page.ts";
import { until } from "../support/system.ts";
import {
  cardNumber,
  dataOf,
  type TestBusiness,
  type TestLink,
  type World,
} from "../support/world.ts";

const MAX_WEIGHT = 40 * 1024;

let checkout: Checkout;
let world: World;
let business: TestBusiness;

beforeAll(async () => {
  checkout = await startCheckout();
  ({ world, business } = checkout);
});
afterEach(() => checkout.closePages());
afterAll(() => checkout?.stop());

const cardLeft = (page: Page) =>
  Promise.all(
    ["Card number", "Expiry date", "Security code"].map((label) =>
      page.getByLabel(label).inputValue(),
    ),
  );
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
  const subscribed = (page: Page) =>
    page.getByRole("heading", { name: "You are subscribed" }).waitFor();
  const cardSaved = (page: Page) =>
    page.getByRole("heading", { name: "Your card is saved" }).waitFor();
  // biome-ignore lint/suspicious/noExplicitAny: as the endpoint answers
  async function subscriptionsOf({ id }: TestLink): Promise<any[]> {
    const path = `/v1/business/${business.id}/subscriptions?paymentLinkId=${id}`;
    return dataOf(await world.http.get(path, { token: business.token }), 200);
  }
  async function methodLink(merchant: TestBusiness, id: string): Promise<TestLink> {
    const made = await world.toSubscription(merchant, id, "payment-method-link");
    const { url } = dataOf(made, 201);
    return { id, url, token: url.split("/").at(-1) };
  }

  test("a double click makes one subscription, which a reload shows again", async () => {
    const link = await world.recurringLink(business, { dataCollections: ["Company"] });
    const { page, errors } = await checkout.open(link);
    await page.getByText("Nothing is charged now. The first payment is on").waitFor();
    await fill(page);
    await page.getByLabel("Company").fill("Acme");
    await page.getByRole("button", { name: /^Subscribe: \$25\.00 on/ }).dblclick();
    await subscribed(page);
    expect(await focused(page)).toBe("end");
    const [subscription, ...others] = await subscriptionsOf(link);
    expect(others).toEqual([]);
    expect(subscription).toMatchObject({
      status: "trialing",
      card: { brand: "Visa", last4: "4242" },
      customer: { email: "ada@example.com" },
    });
    expect(await checkout.paymentsOf(link)).toEqual([]);
    await page.getByText("Visa •••• 4242").waitFor();
    expect(await cardLeft(page)).toEqual(["", "", ""]);
    await page.reload();
    await subscribed(page);
    await page.getByText(subscription.id).waitFor();
    expect(await payButton(page).isVisible()).toBe(false);
    expect(errors).toEqual([]);
  });

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
    expect(await subscriptionsOf(link)).toHaveLength(1);
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
    expect(await subscriptionsOf(link)).toHaveLength(1);
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

  test("an error that only the server finds belongs to its field too", async () => {
    const { page } = await checkout.open(await world.paymentLink(business));
    await fill(page);
    await page.getByLabel("Email").fill("ada@example");
    await payButton(page).click();
    await problem(page).getByRole("link").waitFor();
    expect(await page.getByLabel("Email").getAttribute("aria-invalid")).toBe("true");
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

  test("the page is below 40 KB and loads only from the gateway and the image hosts", async () => {
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
      await page.route("https://**", (route) => route.fulfill({ status: 204 }));
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
    const stores = "[localStorage.length, sessionStorage.length, document.cookie]";
    const left = await page.evaluate(stores);
    expect(left).toEqual([0, 0, ""]);
    expect(await cardLeft(page)).toEqual(["", "", ""]);
    expect(await page.locator("input:not([name]):not([data-own])").count()).toBe(3);
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
