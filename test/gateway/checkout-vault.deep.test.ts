// The hosted checkout page with an acquirer's vault. The sample partner runs in its own process on
// another origin; each of payrail's services runs in its own process with the most verbose log.
// Customers type cards into the vault's frame; then the test searches payrail's HTTP, NATS,
// database and logs for the cards. The page and the frame accept messages only from each other.

import { randomBytes } from "node:crypto";
import axe from "axe-core";
import mongoose from "mongoose";
import { connect, type NatsConnection } from "nats";
import type { Frame, Page } from "playwright-core";
import { natsOptions } from "../../shared/rpc/broker.ts";
import { isTooWide } from "../support/browser.ts";
import {
  type Customers,
  fillCustomer,
  fillPostcode,
  type Opened,
  paid,
  passTime,
  payButton,
  problem,
  startCustomers,
} from "../support/checkout-page.ts";
import { type Cluster, startCluster } from "../support/cluster.ts";
import { type Partner, SAMPLE_ACQUIRER, startPartner } from "../support/partner.ts";
import { Planted } from "../support/planted.ts";
import { type Recorder, startRecorder } from "../support/recorder.ts";
import { until } from "../support/system.ts";
import { dataOf, type TestBusiness } from "../support/world.ts";

const { BSON } = mongoose.mongo;
const EVIL = "https://evil.example.com";

let recorder: Recorder;
let partner: Partner;
let cluster: Cluster;
let tap: NatsConnection;
let business: TestBusiness;
let customers: Customers;
const onNats: string[] = [];
const planted = new Planted();
const POSTCODE = planted.add("card number", `QX${randomBytes(4).toString("hex")}`);

beforeAll(async () => {
  recorder = await startRecorder();
  partner = await startPartner(recorder.url);
  cluster = await startCluster({
    ...partner.environment,
    ACQUIRER: SAMPLE_ACQUIRER,
    PUBLIC_URL: recorder.url,
    LOG_LEVEL: "trace",
  });
  recorder.forwardTo(Number(new URL(cluster.gateway.http.url).port));
  tap = await connect(natsOptions(cluster.config));
  tap.subscribe(">", {
    callback: (_error, { data }) => onNats.push(Buffer.from(data).toString("latin1")),
  });
  await tap.flush();
  business = await cluster.business();
  customers = await startCustomers(cluster.http, business, recorder.url);
});
afterEach(() => customers.closePages());
afterAll(async () => {
  await customers?.close();
  await tap?.close();
  await cluster?.stop();
  await partner?.stop();
  recorder?.stop();
});

/** A card number that no other place has, with these last four digits; it passes Luhn's check. */
function plantCard(lastFour = "4242"): string {
  const digits = Array.from(randomBytes(10), (byte) => String((byte % 9) + 1)).join("");
  const checks = Array.from({ length: 10 }, (_, check) => `4${digits}${check}${lastFour}`);
  const number = checks.find((candidate) => luhnSum(candidate) % 10 === 0) as string;
  return planted.add("card number", number);
}

function luhnSum(number: string): number {
  return Array.from(number, Number).reduce((sum, digit, i) => {
    const doubled = i % 2 === 0 ? digit * 2 : digit;
    return sum + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
}

const field = (page: Page) => page.frameLocator("#card-frame");
const heading = (page: Page, name: string) => page.getByRole("heading", { name }).waitFor();

async function fillCard(page: Page, number = plantCard()): Promise<string> {
  await field(page).getByLabel("Card number").fill(number);
  await field(page).getByLabel("Expiry date").fill("12 / 60");
  await field(page).getByLabel("Security code").fill("739");
  await fillPostcode(page, POSTCODE);
  return number;
}

const cardRequests = ({ requests }: Opened) =>
  requests.filter((request) => request.url() === `${partner.url}/cards`);
const checkoutRequests = ({ requests }: Opened) =>
  requests.filter((request) => request.method() === "POST" && request.url().includes("/checkout/"));

describe("a card in the vault's frame", () => {
  test("pays a link: its number goes to the vault, its token to payrail", async () => {
    const link = await cluster.paymentLink(business);
    const opened = await customers.open(link);
    await fillCustomer(opened.page);
    const number = await fillCard(opened.page);
    await payButton(opened.page).click();
    await paid(opened.page);
    expect(await customers.paymentsOf(link)).toMatchObject([
      { status: "SUCCEEDED", card: { brand: "Visa", last4: number.slice(-4) } },
    ]);
    const [kept, ...others] = cardRequests(opened);
    expect([kept?.postData(), others]).toEqual([expect.stringContaining(number), []]);
    expect(kept?.postDataJSON().postcode).toBe(POSTCODE);
    const [payment] = checkoutRequests(opened);
    expect(payment?.postDataJSON()).toEqual({
      customer: expect.anything(),
      fields: {},
      paymentMethod: { type: "card", token: expect.stringMatching(/^sample_/) },
    });
    expect(opened.errors).toEqual([]);
    expect(partner.log()).toContain("PUT /charges/:id 200");
    await cluster.verifyBooks();
  });

  test("after a decline the fields stay, without the code, and another card pays", async () => {
    const link = await cluster.paymentLink(business);
    const { page } = await customers.open(link);
    await fillCustomer(page);
    await fillCard(page, plantCard("0002"));
    await payButton(page).click();
    await problem(page).getByText("Your card was declined.").waitFor();
    expect(await field(page).getByLabel("Card number").inputValue()).toMatch(/0002$/);
    expect(await field(page).getByLabel("Security code").inputValue()).toBe("");
    await fillCard(page);
    await payButton(page).click();
    await paid(page);
    expect((await customers.paymentsOf(link)).map(({ status }) => status)).toEqual([
      "FAILED",
      "SUCCEEDED",
    ]);
    // A new frame has replaced the frame with the card.
    expect(await field(page).getByLabel("Card number").inputValue()).toBe("");
  });

  test("is saved for a subscription, and a payment-method link replaces it", async () => {
    const link = await cluster.recurringLink(business);
    const { page } = await customers.open(link);
    await fillCustomer(page);
    await fillCard(page);
    await payButton(page).click();
    await heading(page, "You are subscribed");
    const path = `/v1/business/${business.id}/subscriptions?paymentLinkId=${link.id}`;
    const [{ id }] = dataOf(await cluster.http.get(path, { token: business.token }), 200);
    const made = await cluster.toSubscription(business, id, "payment-method-link");
    const changing = await customers.open({ ...link, url: dataOf(made, 201).url });
    const number = await fillCard(changing.page, plantCard("1881"));
    await payButton(changing.page).click();
    await heading(changing.page, "Your card is saved");
    const changed = await cluster.ofSubscription(business, id);
    expect(changed).toMatchObject({ card: { brand: "Visa", last4: number.slice(-4) } });
  });

  describe("whose issuer asks for a confirmation (3-D Secure)", () => {
    /** Pays with such a card, up to the question in the frame. */
    async function payUpToQuestion() {
      const link = await cluster.paymentLink(business);
      const opened = await customers.open(link);
      await fillCustomer(opened.page);
      await fillCard(opened.page, plantCard("3220"));
      await payButton(opened.page).click();
      await field(opened.page).getByText("asks you to confirm").waitFor();
      return { ...opened, link };
    }

    test("is charged once its customer confirms in the frame", async () => {
      const { page, link, errors } = await payUpToQuestion();
      await page.getByText("Your bank asks you to confirm the payment.").waitFor();
      expect(await customers.paymentsOf(link)).toMatchObject([{ status: "PENDING" }]);
      await field(page).getByRole("button", { name: "Confirm" }).click();
      await paid(page);
      expect(await customers.paymentsOf(link)).toMatchObject([{ status: "SUCCEEDED" }]);
      expect(errors).toEqual([]);
      await cluster.verifyBooks();
    });

    test("is not charged if its customer refuses, and another card pays", async () => {
      const { page, link } = await payUpToQuestion();
      await field(page).getByRole("button", { name: "Refuse" }).click();
      await problem(page).getByText("Your card could not be charged.").waitFor();
      await fillCard(page);
      await payButton(page).click();
      await paid(page);
      const statuses = (await customers.paymentsOf(link)).map(({ status }) => status);
      expect(statuses).toEqual(["FAILED", "SUCCEEDED"]);
    });

    test("is confirmed after the page was reloaded meanwhile", async () => {
      const { page, link } = await payUpToQuestion();
      page.once("dialog", (dialog) => void dialog.accept());
      await page.reload();
      await field(page).getByRole("button", { name: "Confirm" }).click();
      await paid(page);
      expect(await customers.paymentsOf(link)).toMatchObject([{ status: "SUCCEEDED" }]);
    });

    test("is confirmed after the tab was killed and the link opened again", async () => {
      const { page, link } = await payUpToQuestion();
      const again = await page.context().newPage();
      await page.close();
      await again.goto(`${recorder.url}${new URL(link.url).pathname}`);
      await field(again).getByRole("button", { name: "Confirm" }).click();
      await paid(again);
      expect(await customers.paymentsOf(link)).toMatchObject([{ status: "SUCCEEDED" }]);
    });

    test("is asked for by keyboard, without scroll bars, and is accessible", async () => {
      const { page } = await payUpToQuestion();
      const frame = page.frames()[1] as Frame;
      const isFitted = () =>
        frame.evaluate<boolean>("document.documentElement.scrollHeight <= innerHeight");
      await until(isFitted, { awaited: "the frame to be as high as the question" });
      for (const each of [page, frame]) {
        await each.evaluate(axe.source);
        const rules = `{ rules: { "page-has-heading-one": { enabled: ${each === page} } } }`;
        const { violations } = await each.evaluate<axe.AxeResults>(`axe.run(${rules})`);
        expect(violations.map(({ id }) => id)).toEqual([]);
      }
      await field(page).getByRole("button", { name: "Confirm" }).focus();
      await page.keyboard.press("Enter");
      await paid(page);
    });
  });

  test("is entered and sent by keyboard, and an error links to its field", async () => {
    const link = await cluster.paymentLink(business);
    const opened = await customers.open(link);
    const { page } = opened;
    await fillCustomer(page);
    await fillPostcode(page, POSTCODE);
    await field(page).getByLabel("Card number").waitFor();
    await page.getByLabel("Phone number").focus();
    await page.keyboard.press("Tab");
    await page.keyboard.type("4242");
    await page.keyboard.press("Enter");
    await problem(page).getByText("Enter a valid card number.").waitFor();
    expect(cardRequests(opened)).toEqual([]);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.id")).toBe("card-frame");
    // The browser continues after the input that had the focus last.
    await page.keyboard.press("Tab");
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("ControlOrMeta+A");
    for (const text of [plantCard(), "1260", "739"]) {
      await page.keyboard.type(text);
      await page.keyboard.press("Tab");
    }
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Enter");
    await paid(page);
  });

  test.each(["phone", "narrow", "desk"] as const)(
    "is accessible and needs no scroll bars on a %s screen",
    async (size) => {
      const { page } = await customers.open(await cluster.paymentLink(business), { size });
      await field(page).getByLabel("Card number").waitFor();
      await fillCustomer(page);
      await fillPostcode(page, POSTCODE);
      await payButton(page).click();
      await problem(page).getByText("Enter a valid card number.").waitFor();
      const isWide = await isTooWide(page);
      const frame = page.frames()[1] as Frame;
      const isFitted = () =>
        frame.evaluate<boolean>("document.documentElement.scrollHeight <= innerHeight");
      await until(isFitted, { awaited: "the frame to be as high as its fields" });
      expect(isWide).toBe(false);
      for (const each of [page, frame]) {
        await each.evaluate(axe.source);
        // Only the page needs a heading of the first level.
        const rules = `{ rules: { "page-has-heading-one": { enabled: ${each === page} } } }`;
        const { violations } = await each.evaluate<axe.AxeResults>(`axe.run(${rules})`);
        expect(violations.map(({ id }) => id)).toEqual([]);
      }
    },
  );
});

describe("the page", () => {
  test("allows only a sandboxed frame of the vault's origin", async () => {
    const link = await cluster.paymentLink(business);
    const view = dataOf(await cluster.http.get(`/v1/checkout/${link.token}`), 200);
    expect(view.vault).toEqual({ fieldUrl: `${partner.url}/field`, wantsPostcode: true });
    const { headers, text } = await cluster.http.get(new URL(link.url).pathname);
    const policy = String(headers["content-security-policy"]).split("; ");
    expect(policy.filter((each) => /^(frame|child)-src/.test(each))).toEqual([
      `frame-src ${partner.url}`,
    ]);
    expect(policy).toContain("default-src 'none'");
    expect(text).toContain('sandbox="allow-scripts allow-same-origin allow-forms"');
    const { page, errors, requests } = await customers.open(link);
    const refusals = () => errors.filter((each) => each.includes(EVIL));
    await field(page).getByLabel("Card number").waitFor();
    const added = `document.body.append(Object.assign(document.createElement("iframe"), { src: "${EVIL}/" }))`;
    await page.evaluate(added);
    await until(() => refusals().length > 0, { awaited: "a refusal" });
    const frame = page.frames()[1] as Frame;
    await frame.evaluate(`location.href = "${EVIL}/"`).catch(() => {});
    await until(() => refusals().length > 1, { awaited: "a second refusal" });
    expect(requests.filter((request) => request.url().startsWith(EVIL))).toEqual([]);
  });

  /**
   * The id of each request that the page sends to the frame. The forged messages have this id, so
   * only their other faults cause the refusals.
   */
  const ID = "00".repeat(16);
  const fixIds = (page: Page) => page.addInitScript("crypto.getRandomValues = (array) => array");
  const forged = (more: object = {}) =>
    JSON.stringify({ type: "payrail.token", version: 1, id: ID, token: "forged_token", ...more });

  test("ignores messages of other windows, without an id, or of an invalid form", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const opened = await customers.open(await cluster.paymentLink(business), {
      bypassCSP: true,
      prepare: async (page) => {
        await fixIds(page);
        await page.route(`${partner.url}/cards`, async (route) => {
          await held;
          await route.continue();
        });
        await page.route(`${EVIL}/**`, (route) => {
          const script = `<script>parent.postMessage(${forged()}, "*"); document.title = "sent"</script>`;
          return route.fulfill({ contentType: "text/html", body: script });
        });
      },
    });
    const { page } = opened;
    await fillCustomer(page);
    await fillCard(page);
    await payButton(page).click();
    await until(() => cardRequests(opened).length === 1, { awaited: "the request to the vault" });
    // From the page itself, and from a frame of another origin.
    await page.evaluate(`postMessage(${forged()}, "*")`);
    await page.evaluate(
      `document.body.append(Object.assign(document.createElement("iframe"), { src: "${EVIL}/" }))`,
    );
    await until(() => page.frames().some((each) => each.url() === `${EVIL}/`), {
      awaited: "the frame of another origin",
    });
    const evil = page.frames().find((each) => each.url() === `${EVIL}/`) as Frame;
    await until(async () => (await evil.title()) === "sent", { awaited: "its message" });
    // From the vault's own frame.
    const frame = page.frames()[1] as Frame;
    for (const more of [
      { id: undefined },
      { id: "other" },
      { version: 2 },
      { type: "payrail.tokens" },
      { token: undefined },
      { token: "x".repeat(10_000) },
      { token: ["forged_token"] },
      { token: "4242 4242 4242 4242" },
      { type: "payrail.error", message: "x".repeat(10_000) },
      { type: "payrail.size", height: 100_000 },
    ]) {
      await frame.evaluate(`parent.postMessage(${forged(more)}, "*")`);
    }
    await frame.evaluate(`parent.postMessage(null, "*"); parent.postMessage("payrail.token", "*")`);
    release();
    await paid(page);
    const bodies = checkoutRequests(opened).map((request) => request.postDataJSON());
    expect(bodies).toEqual([
      expect.objectContaining({
        paymentMethod: { type: "card", token: expect.stringMatching(/^sample_/) },
      }),
    ]);
  });

  test("ignores the vault's frame after the frame has loaded another origin", async () => {
    const link = await cluster.paymentLink(business);
    const opened = await customers.open(link, {
      bypassCSP: true,
      prepare: async (page) => {
        await fixIds(page);
        await page.clock.install();
        await page.route(`${EVIL}/**`, (route) => {
          const script = `<script>setInterval(() => parent.postMessage(${forged()}, "*"), 10)</script>`;
          return route.fulfill({ contentType: "text/html", body: script });
        });
      },
    });
    const { page } = opened;
    await fillCustomer(page);
    await fillPostcode(page, POSTCODE);
    await field(page).getByLabel("Card number").waitFor();
    const frame = page.frames()[1] as Frame;
    await frame.evaluate(`location.href = "${EVIL}/"`);
    await frame.waitForURL(`${EVIL}/`);
    await payButton(page).click();
    await passTime(page, problem(page).getByText("Your card could not be checked."));
    expect(checkoutRequests(opened)).toEqual([]);
    expect(await customers.paymentsOf(link)).toEqual([]);
  });

  test("shows a vault's message as text", async () => {
    const hits: string[] = [];
    const { page } = await customers.open(await cluster.paymentLink(business), {
      prepare: async (each) => {
        await fixIds(each);
        await each.exposeFunction("hit", () => hits.push("hit"));
        await each.route(`${partner.url}/cards`, () => {});
      },
    });
    await fillCustomer(page);
    await fillCard(page);
    await payButton(page).click();
    const message = "<img src=x onerror=hit()>";
    const answer = forged({ type: "payrail.error", message });
    await (page.frames()[1] as Frame).evaluate(`parent.postMessage(${answer}, "*")`);
    await problem(page).getByText(message).waitFor();
    expect(hits).toEqual([]);
  });
});

describe("the field", () => {
  /** A page of another origin that shows the field and records the messages that it receives. */
  async function embedIn(page: Page): Promise<Frame> {
    await page.route(`${EVIL}/**`, (route) => {
      const script =
        "received = []; addEventListener('message', (event) => received.push(event.data))";
      const body = `<script>${script}</script><iframe src="${partner.url}/field"></iframe>`;
      return route.fulfill({ contentType: "text/html", body });
    });
    await page.goto(`${EVIL}/`);
    return page.frames()[1] as Frame;
  }
  const newPage = () => customers.newPage({ bypassCSP: true });

  test("is shown only in payrail's page", async () => {
    const { headers } = await fetch(`${partner.url}/field`);
    expect(headers.get("content-security-policy")).toContain(`frame-ancestors ${recorder.url}`);
    const frame = await embedIn(await newPage());
    await until(() => frame.url().startsWith("chrome-error:"), { awaited: "a refusal" });
  });

  test("answers only payrail's page, even if another page shows the field", async () => {
    const page = await newPage();
    await page.route(`${partner.url}/field`, async (route) => {
      const response = await route.fetch();
      return route.fulfill({ contentType: "text/html", body: await response.text() });
    });
    const frame = await embedIn(page);
    await frame.getByLabel("Card number").waitFor();
    const request = JSON.stringify({ type: "payrail.tokenize", version: 1, id: "mine" });
    await page.evaluate(`frames[0].postMessage(${request}, "*")`);
    // If the field accepted the request, it would mark its empty inputs.
    expect(await frame.locator("[aria-invalid]").count()).toBe(0);
    expect(await page.evaluate("received")).toEqual([]);
  });
});

test("no card data has reached payrail's HTTP, NATS, database or logs", async () => {
  const found = (place: string, text: string) =>
    [...planted.in(text).values()].map((value) => `${value.slice(0, 6)}… in ${place}`);
  const collections = await cluster.db.listCollections().toArray();
  const dumps = await Promise.all(
    collections.map(async ({ name }) => {
      const documents = await cluster.db.collection(name).find().toArray();
      const bytes = documents.map((document) => Buffer.from(BSON.serialize(document)));
      return `${BSON.EJSON.stringify(documents)}${Buffer.concat(bytes).toString("latin1")}`;
    }),
  );
  expect([
    ...found("the browser's requests", recorder.sent()),
    ...found("NATS", onNats.join("\n")),
    ...found("the database", dumps.join("\n")),
    ...found("a log", cluster.logs()),
    ...found("the sample's log", partner.log().join("\n")),
  ]).toEqual([]);
  // The searched texts are the right ones, because they have the tokens and the last four digits.
  expect(recorder.sent()).toContain("sample_");
  expect(recorder.sent()).not.toContain('"739"');
  expect(onNats.join("\n")).toContain("sample_");
  expect(dumps.join("\n")).toContain("4242");
  expect(partner.log().filter((line) => line === "POST /cards 201").length).toBeGreaterThan(5);
});
