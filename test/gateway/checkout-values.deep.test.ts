// What customers and their software write into the checkout page: pasted from contacts and mails,
// filled in by password managers, in any script. The page reads it as the API does, and each
// refusal of the API has its field.

import type { Page } from "playwright-core";
import {
  type Checkout,
  fill,
  paid,
  payButton,
  problem,
  startCheckout,
} from "../support/checkout-page.ts";
import { until } from "../support/system.ts";
import type { TestBusiness, World } from "../support/world.ts";

let checkout: Checkout;
let world: World;
let business: TestBusiness;

beforeAll(async () => {
  checkout = await startCheckout();
  ({ world, business } = checkout);
});
afterEach(() => checkout.closePages());
afterAll(() => checkout?.stop());

/** Pays with these values in place of the usual ones, and returns the payment. */
async function payWith(values: Record<string, string>, fields: Record<string, unknown> = {}) {
  const link = await world.paymentLink(business, fields);
  const { page, errors } = await checkout.open(link);
  await fill(page);
  for (const [label, value] of Object.entries(values)) await page.getByLabel(label).fill(value);
  await payButton(page).click();
  await paid(page);
  expect(errors).toEqual([]);
  const [payment] = await checkout.paymentsOf(link);
  return { payment, page };
}

test.each([
  ["\u202a+1 555 0100\u202c", "+1 555 0100"],
  ["030/901820", "030 901820"],
  ["+33\u202f1\u00a099\u202f00\u202f12\u202f34", "+33 1 99 00 12 34"],
  ["tel:+1-555-0100;ext=5", "+1-555-0100 ext. 5"],
  ["٠٣٠ ٩٠١٨٢٠", "030 901820"],
])("the phone number %j is stored as %j", async (given, stored) => {
  const { payment } = await payWith({ "Phone number": given });
  expect(payment.customer.phone).toBe(stored);
});

test("invisible marks in names, own fields and the email address are not sent", async () => {
  const { payment } = await payWith(
    {
      "First name": "\u2068דוד\u200f\u2069",
      "Last name": "Love\tlace\u200e",
      Email: "\u200eada@example.com\u200f",
      Size: "\u200fM\u200b\tL",
    },
    { customFields: ["Size"] },
  );
  expect(payment.customer).toMatchObject({
    firstName: "דוד",
    lastName: "Love lace",
    email: "ada@example.com",
  });
  expect(payment.metadata.fields).toEqual({ Size: "M L" });
});

test("a name of invisible characters alone is missing", async () => {
  const { page } = await checkout.open(await world.paymentLink(business));
  await fill(page);
  await page.getByLabel("First name").fill("\u200b\u3164");
  await payButton(page).click();
  await problem(page).getByRole("link", { name: "Enter your first name." }).waitFor();
});

/** Fills a field in as a password manager does. */
function asFilled(page: Page, label: string, value: string) {
  return page.getByLabel(label).evaluate((input, filled) => {
    Object.assign(input, { value: filled });
    for (const type of ["input", "change"]) input.dispatchEvent(new Event(type, { bubbles: true }));
  }, value);
}

test("an address in a Unicode domain is taken, typed or filled in", async () => {
  const { payment } = await payWith({ Email: "ada@пример.рф" });
  expect(payment.customer.email).toBe("ada@xn--e1afmkfd.xn--p1ai");
  const link = await world.paymentLink(business);
  const { page } = await checkout.open(link);
  await fill(page);
  await asFilled(page, "Email", "ada@bücher.example");
  await payButton(page).click();
  await paid(page);
  const [filledIn] = await checkout.paymentsOf(link);
  expect(filledIn.customer.email).toBe("ada@xn--bcher-kva.example");
});

const EXPIRIES = ["2060-12", "2060/12", "12/60", "12/2060", "1260", "122060", "206012", "12-60"];

describe("the card", () => {
  test.each<[string, (page: Page, value: string) => Promise<unknown>]>([
    ["filled in", (page, value) => asFilled(page, "Expiry date", value)],
    ["pasted", (page, value) => page.getByLabel("Expiry date").fill(value)],
    ["typed", (page, value) => page.getByLabel("Expiry date").pressSequentially(value)],
  ])("expires as it is %s, in any form", async (_way, write) => {
    const { page } = await checkout.open(await world.paymentLink(business));
    const sent: unknown[] = [];
    // A vault that does not answer leaves the form as it is.
    await page.route("**/card-tokens", async (route) => {
      const { expMonth, expYear } = route.request().postDataJSON();
      sent.push([expMonth, expYear]);
      await route.abort();
    });
    await fill(page);
    for (const value of EXPIRIES) {
      await page.getByLabel("Expiry date").fill("");
      await write(page, value);
      await page.getByLabel("Security code").fill("123");
      const before = sent.length;
      await payButton(page).click();
      await until(() => sent.length > before, { awaited: `the card that expires at ${value}` });
      await problem(page).waitFor();
    }
    expect(sent).toEqual(EXPIRIES.map(() => [12, 2060]));
  });

  test("is read in digits of any width, and is shown in plain ones", async () => {
    const { page } = await payWith({
      "Card number": "４２４２\u00a0４２４２\u20114242 4242",
      "Expiry date": "１２／６０",
      "Security code": "１２３",
    });
    await page.getByText("Visa •••• 4242").waitFor();
  });

  test("shows its number in groups while it is typed in full-width digits", async () => {
    const { page } = await checkout.open(await world.paymentLink(business));
    await page.getByLabel("Card number").pressSequentially("４２４２４２");
    expect(await page.getByLabel("Card number").inputValue()).toBe("4242 42");
  });
});

describe("a refusal of the API", () => {
  /** Lets the API refuse these fields. */
  async function refused(fields: string[], customFields: string[] = [], locale = "en") {
    const link = await world.paymentLink(business, { customFields });
    const { page } = await checkout.open(link, { locale });
    const errors = fields.map((field) => ({
      field,
      code: "invalid",
      message: `${field} is wrong`,
    }));
    await page.route("**/payments", (route) =>
      route.fulfill({ status: 400, json: { success: false, message: "x", fatal: true, errors } }),
    );
    return page;
  }

  test.each([
    ["customer.email", "Email"],
    ["customer.firstName", "First name"],
    ["customer.lastName", "Last name"],
    ["customer.phone", "Phone number"],
    ["fields.Size", "Size"],
    ["fields.a.b [c]", "a.b [c]"],
    ["fields.????", "מידה"],
    ["paymentMethod.token", "Card number"],
  ])("of %s marks its field and links to it", async (field, label) => {
    const page = await refused([field], ["Size", "a.b [c]", "מידה"]);
    await fill(page);
    await payButton(page).click();
    const link = problem(page).getByRole("link");
    await link.waitFor();
    expect(await page.locator("[aria-invalid]").count()).toBe(1);
    const input = page.getByLabel(label, { exact: false });
    expect(await input.getAttribute("aria-invalid")).toBe("true");
    await link.click();
    expect(await page.locator(":focus").getAttribute("id")).toBe(await input.getAttribute("id"));
    await input.fill("x1");
    await input.blur();
  });

  test("of all fields together marks the filled ones", async () => {
    const page = await refused(["fields"], ["Size", "Colour"]);
    await fill(page);
    await page.getByLabel("Colour").fill("red");
    await payButton(page).click();
    await problem(page).getByRole("link", { name: "Please check this field: Colour." }).waitFor();
    expect(await page.locator("[aria-invalid]").count()).toBe(1);
  });

  test("of anything else is told as a whole", async () => {
    const page = await refused(["once"]);
    await fill(page);
    await payButton(page).click();
    await problem(page).getByText("You have not been charged.").waitFor();
  });

  test("of an own field is told in the customer's language", async () => {
    const page = await refused(["fields.Size"], ["Size"], "fr-FR");
    const values = {
      "E-mail": "ada@example.com",
      Prénom: "Ada",
      Téléphone: "+33 1 99 00 12 34",
      "Numéro de carte": "4242 4242 4242 4242",
      "Date d’expiration": "12 / 60",
      "Code de sécurité": "123",
    };
    for (const [label, value] of Object.entries(values)) await page.getByLabel(label).fill(value);
    await page.getByLabel("Nom", { exact: true }).fill("Lovelace");
    await payButton(page).click();
    await problem(page).getByText("Veuillez vérifier ce champ\u00a0: Size.").waitFor();
  });
});

test("a redirect with a scheme and host in upper case is followed", async () => {
  const redirectTo = "HTTPS://SHOP.EXAMPLE.COM/Thanks";
  const { page, payment } = await payWith({}, { redirectTo });
  expect(payment.status).toBe("SUCCEEDED");
  const onward = page.getByRole("link", { name: "Continue to shop.example.com" });
  expect(await onward.getAttribute("href")).toBe("https://shop.example.com/Thanks");
});

test("right-to-left texts of a merchant keep their direction", async () => {
  const link = await world.paymentLink(business, {
    name: "קורס C++",
    cartItems: [
      { name: "שלום עולם!", description: "א (ב)" },
      { name: "Tulips", description: "red" },
    ],
    customFields: ["מידה (ס״מ)"],
  });
  const { page } = await checkout.open(link, { size: "desk" });
  const directionOf = (text: string) =>
    page
      .getByText(text, { exact: true })
      .first()
      .evaluate((element) => element.matches(":dir(rtl)"));
  for (const text of ["קורס C++", "שלום עולם!", "א (ב)", "מידה (ס״מ)"]) {
    expect([text, await directionOf(text)]).toEqual([text, true]);
  }
  expect(await directionOf("Tulips")).toBe(false);
});
