// A customer who comes back to the checkout page before it has shown an outcome: the page is
// reloaded, restored, opened in another tab, or opened again from the mail, at any moment of the
// attempt. The acquirer is asked for one charge, whatever the customer does then.

import type { BrowserContext, Page } from "playwright-core";
import {
  type Checkout,
  fill,
  paid,
  payButton,
  problem,
  startCheckout,
  subscribed,
} from "../support/checkout-page.ts";
import { openPaymentBooks, type PaymentBooks, scriptedAcquirer } from "../support/payments.ts";
import { until } from "../support/system.ts";
import { CAPTURED, DECLINED } from "../support/unanswered.ts";
import type { TestLink } from "../support/world.ts";

// By its name the page takes test cards itself.
const script = scriptedAcquirer("sandbox");
let checkout: Checkout;
let books: PaymentBooks;
/** Lets the acquirer answer the charges that it was asked for. */
let answerCharges: () => void;

beforeAll(async () => {
  checkout = await startCheckout({ paymentLinksInstead: [{ acquirer: script.acquirer }] });
  books = await openPaymentBooks(checkout.world);
});
beforeEach(() => {
  const answered = new Promise<void>((resolve) => {
    answerCharges = resolve;
  });
  script.answers.charge = async () => {
    await answered;
    return CAPTURED;
  };
});
afterEach(async () => {
  answerCharges();
  await checkout.closePages();
});
afterAll(async () => {
  await books?.close();
  await checkout?.stop();
});

/** The payments of the link, and the charges that the acquirer was asked for. */
async function outcomeOf(link: TestLink) {
  const payments = await checkout.paymentsOf(link);
  const charges = payments.map(({ id }) => script.timesAsked("charge", id));
  return { statuses: payments.map(({ status }) => status), charges };
}
const PAID_ONCE = { statuses: ["SUCCEEDED"], charges: [1] };

const isCharging = (link: TestLink) =>
  until(async () => (await outcomeOf(link)).charges.includes(1), { awaited: "a charge" });

/** Opens the link's page again in the customer's browser, as from a mail. */
async function openAgain(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(url.split("#", 1)[0] as string);
  return page;
}

const RETURNS: Record<string, (page: Page) => Promise<Page>> = {
  "reloads the page": async (page) => {
    await page.reload();
    return page;
  },
  "leaves it and comes back": async (page) => {
    await page.goto("about:blank");
    await page.goBack();
    return page;
  },
  "opens it in a second tab": (page) => openAgain(page.context(), page.url()),
  "opens the link again after the tab was killed": async (page) => {
    const [context, url] = [page.context(), page.url()];
    await page.close();
    return openAgain(context, url);
  },
};

async function beginPaying(link: TestLink, prepare: (page: Page) => unknown = () => {}) {
  const opened = await checkout.open(link, { prepare });
  opened.page.on("dialog", (dialog) => void dialog.accept());
  await fill(opened.page);
  await payButton(opened.page).click();
  return opened;
}

describe.each(Object.entries(RETURNS))("a customer who %s", (_name, comeBack) => {
  test("while the card is charged sees the receipt", async () => {
    const link = await checkout.world.paymentLink(checkout.business);
    const { page, errors } = await beginPaying(link);
    await isCharging(link);
    const again = await comeBack(page);
    await again.getByRole("heading", { name: "Looking up your payment" }).waitFor();
    expect(await payButton(again).isVisible()).toBe(false);
    answerCharges();
    await paid(again);
    expect(await outcomeOf(link)).toEqual(PAID_ONCE);
    expect(errors).toEqual([]);
    await checkout.world.verifyBooks();
  });

  test("after the charge, whose answer was lost, sees the receipt", async () => {
    const link = await checkout.world.paymentLink(checkout.business);
    answerCharges();
    const { page } = await beginPaying(link, (each) =>
      each.route("**/payments", (route) => route.fetch().catch(() => {}), { times: 1 }),
    );
    await until(async () => (await outcomeOf(link)).statuses[0] === "SUCCEEDED", {
      awaited: "a payment",
    });
    await paid(await comeBack(page));
    expect(await outcomeOf(link)).toEqual(PAID_ONCE);
  });

  test("to a declined card sees the reason, and pays with another card", async () => {
    const link = await checkout.world.paymentLink(checkout.business);
    script.answers.charge = async () => DECLINED;
    const { page } = await beginPaying(link, (each) =>
      each.route("**/payments", (route) => route.fetch().catch(() => {}), { times: 1 }),
    );
    await until(async () => (await outcomeOf(link)).statuses[0] === "FAILED", {
      awaited: "the decline",
    });
    const again = await comeBack(page);
    await problem(again).getByText("Your card was declined.").waitFor();
    script.answers.charge = async () => CAPTURED;
    await fill(again);
    await payButton(again).click();
    await paid(again);
    expect(await outcomeOf(link)).toEqual({ statuses: ["FAILED", "SUCCEEDED"], charges: [1, 1] });
  });

  test("while a subscription is set up is subscribed once", async () => {
    const link = await checkout.world.recurringLink(checkout.business);
    const { page } = await checkout.open(link, {
      prepare: (each) =>
        each.route("**/setup", (route) => route.fetch().catch(() => {}), { times: 1 }),
    });
    page.on("dialog", (dialog) => void dialog.accept());
    await fill(page);
    await payButton(page).click();
    await until(async () => (await checkout.subscriptionsOf(link)).length > 0, {
      awaited: "a subscription",
    });
    const again = await comeBack(page);
    await subscribed(again);
    await again.reload();
    await subscribed(again);
    expect(await checkout.subscriptionsOf(link)).toHaveLength(1);
  });
});

// Chromium lets a held request go once its tab is killed.
test.each(Object.entries(RETURNS).slice(0, 3))(
  "a customer who %s before the request arrives pays once, also when it arrives late",
  async (_name, comeBack) => {
    const link = await checkout.world.paymentLink(checkout.business);
    answerCharges();
    const late: { body: unknown; key: string }[] = [];
    const { page } = await beginPaying(link, (each) =>
      each.route(
        "**/payments",
        async (route) => {
          const request = route.request();
          const key = (await request.headerValue("idempotency-key")) ?? "";
          late.push({ body: request.postDataJSON(), key });
        },
        { times: 1 },
      ),
    );
    await until(() => late.length > 0, { awaited: "the first request" });
    const again = await comeBack(page);
    await payButton(again).waitFor();
    await fill(again);
    await payButton(again).click();
    await paid(again);
    const [{ body, key } = { body: {}, key: "" }] = late;
    const path = `/v1/checkout/${link.token}/payments`;
    const answer = await checkout.world.http.post(path, body, {
      headers: { "idempotency-key": key },
    });
    expect(answer.status).toBe(422);
    expect(await outcomeOf(link)).toEqual(PAID_ONCE);
  },
);

test("the outcome once seen, the link can be paid again if the customer asks", async () => {
  const link = await checkout.world.paymentLink(checkout.business);
  const { page } = await beginPaying(link);
  await isCharging(link);
  await page.reload();
  answerCharges();
  await paid(page);
  const anew = await openAgain(page.context(), page.url());
  await paid(anew);
  await anew.getByRole("button", { name: "Pay once more" }).click();
  await fill(anew);
  await payButton(anew).click();
  await paid(anew);
  expect(await outcomeOf(link)).toEqual({ statuses: ["SUCCEEDED", "SUCCEEDED"], charges: [1, 1] });
});

test("two tabs with filled forms make one payment, which both show", async () => {
  const link = await checkout.world.paymentLink(checkout.business);
  const { page } = await checkout.open(link);
  const other = await openAgain(page.context(), page.url());
  for (const each of [page, other]) await fill(each);
  await Promise.all([payButton(page).click(), payButton(other).click()]);
  await isCharging(link);
  answerCharges();
  await Promise.all([paid(page), paid(other)]);
  expect(await outcomeOf(link)).toEqual(PAID_ONCE);
});

test("a form that was opened before the payment of another tab shows that payment", async () => {
  const link = await checkout.world.paymentLink(checkout.business);
  const { page } = await checkout.open(link);
  const other = await openAgain(page.context(), page.url());
  script.answers.charge = async () => DECLINED;
  await fill(page);
  await payButton(page).click();
  await problem(page).getByText("Your card was declined.").waitFor();
  script.answers.charge = async () => CAPTURED;
  await payButton(page).click();
  await page.getByText("Enter the card's security code.").first().waitFor();
  await fill(page);
  await payButton(page).click();
  await paid(page);
  await fill(other);
  await payButton(other).click();
  await paid(other);
  expect((await outcomeOf(link)).statuses).toEqual(["FAILED", "SUCCEEDED"]);
});

describe("where the browser refuses storage", () => {
  const refused = {
    prepare: (page: Page) =>
      page.addInitScript(`
        for (const name of ["localStorage", "sessionStorage"]) {
          Object.defineProperty(window, name, {
            get() { throw new DOMException("refused", "SecurityError"); },
          });
        }
      `),
  };

  async function beginWithout(link: TestLink) {
    const { page } = await checkout.open(link, refused);
    page.on("dialog", (dialog) => void dialog.accept());
    await fill(page);
    await payButton(page).click();
    return page;
  }

  test("a reload finds the payment", async () => {
    const link = await checkout.world.paymentLink(checkout.business);
    const page = await beginWithout(link);
    await isCharging(link);
    await page.reload();
    answerCharges();
    await paid(page);
    expect(await outcomeOf(link)).toEqual(PAID_ONCE);
  });

  test.each([
    ["while the card is charged", false],
    ["after the charge", true],
  ])("the link opened anew shows the same customer's payment, %s", async (_when, isEarly) => {
    const link = await checkout.world.paymentLink(checkout.business);
    if (isEarly) answerCharges();
    const first = await beginWithout(link);
    await isCharging(link);
    if (isEarly) await paid(first);
    await first.close();
    const { page } = await checkout.open(link, refused);
    await fill(page);
    await page.getByLabel("Email").fill("ADA@example.com");
    await payButton(page).click();
    answerCharges();
    await paid(page);
    expect(await outcomeOf(link)).toEqual(PAID_ONCE);
    await page.getByRole("button", { name: "Pay once more" }).click();
    await fill(page);
    await payButton(page).click();
    await paid(page);
    expect((await outcomeOf(link)).charges).toEqual([1, 1]);
    await checkout.world.verifyBooks();
  });

  test("another customer pays at the same time", async () => {
    const link = await checkout.world.paymentLink(checkout.business);
    await beginWithout(link);
    await isCharging(link);
    const { page } = await checkout.open(link, refused);
    await fill(page);
    await page.getByLabel("Email").fill("grace@example.com");
    await payButton(page).click();
    await until(async () => (await outcomeOf(link)).charges.length === 2, {
      awaited: "both charges",
    });
    answerCharges();
    await paid(page);
  });

  test("a second subscription is made only if the customer means it", async () => {
    const link = await checkout.world.recurringLink(checkout.business);
    const first = await beginWithout(link);
    await subscribed(first);
    const { page } = await checkout.open(link, refused);
    await fill(page);
    await payButton(page).click();
    await problem(page).getByText("A card was saved with this email address").waitFor();
    expect(await checkout.subscriptionsOf(link)).toHaveLength(1);
    await fill(page);
    await payButton(page).click();
    await subscribed(page);
    expect(await checkout.subscriptionsOf(link)).toHaveLength(2);
  });
});
