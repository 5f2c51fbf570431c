// The hosted field of Stripe's vault in a browser: its messages with the checkout page and its
// policy. Stripe.js is served by Stripe alone, so a stand-in with its functions takes its place.

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { startBrowser } from "../../support/browser.ts";
import { openStripeBed, type StripeBed } from "../../support/stripe.ts";
import { startStripeField } from "../../support/stripe-field.ts";
import { until } from "../../support/system.ts";

/** Its inputs are empty; `window.results` of the field has the results of the next calls. */
const STRIPE_JS = `
globalThis.calls = [];
globalThis.results = [];
const call = (name) => async (...args) => {
  calls.push([name, ...args.map((arg) => (arg && arg.card ? { ...arg, card: "card" } : arg))]);
  return results.shift();
};
globalThis.Stripe = (key) => ({
  elements: () => ({
    create: (name) => ({
      mount: (place) => { document.querySelector(place).tabIndex = 0; },
      clear: () => { calls.push(["clear", name]); },
      on: (event, listener) => {
        if (event === "ready") setTimeout(listener);
        else globalThis["change-" + name] = listener;
      },
    }),
  }),
  createPaymentMethod: call("createPaymentMethod"),
  confirmCardSetup: call("confirmCardSetup"),
  handleNextAction: call("handleNextAction"),
});
`;

let bed: StripeBed;
let browser: Browser;
let field: Awaited<ReturnType<typeof startStripeField>>;
let host: Server;
let page: Page;
let violations: string[];

beforeAll(async () => {
  [bed, browser] = await Promise.all([openStripeBed(), startBrowser()]);
  host = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end(
      `<iframe sandbox="allow-scripts allow-same-origin allow-forms" src="${field.url}"></iframe>
      <script>
        messages = [];
        addEventListener("message", ({ data, source }) => {
          if (source === frames[0]) messages.push(data);
        });
      </script>`,
    );
  });
  await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
  field = await startStripeField(bed.server.url, origin());
});

beforeEach(async () => {
  page = await browser.newPage();
  violations = [];
  page.on("console", (message) => {
    if (message.type() === "error") violations.push(message.text());
  });
  await page.route("https://js.stripe.com/endive/stripe.js", (route) =>
    route.fulfill({ contentType: "text/javascript", body: STRIPE_JS }),
  );
  await page.goto(`${origin()}/`);
  await received("payrail.ready");
});

afterEach(async () => {
  await page.close();
  expect(violations).toEqual([]);
});

afterAll(async () => {
  await browser?.close();
  field?.stop();
  host?.close();
  host?.closeAllConnections();
  await bed?.close();
});

const origin = () => `http://127.0.0.1:${(host.address() as AddressInfo).port}`;

const frame = () => {
  const [found] = page.frames().slice(1);
  if (!found) throw new Error("The page has no frame");
  return found;
};

type Message = Record<string, unknown> & { type: string };

const messages = () => page.evaluate<Message[]>("messages");

/** The first message of the field with this type and id. */
const received = (type: string, id?: string) =>
  until(async () =>
    (await messages()).find((each) => each.type === type && (id === undefined || each.id === id)),
  );

const send = (message: object, version = 1) =>
  page.evaluate(
    `frames[0].postMessage(${JSON.stringify({ version, ...message })}, ${JSON.stringify(new URL(field.url).origin)})`,
  );

const prepare = (result: object) => frame().evaluate(`results.push(${JSON.stringify(result)})`);
const calls = () => frame().evaluate<unknown[][]>("calls");

test("a card for one payment becomes a token, with the postcode for Stripe alone", async () => {
  await prepare({ paymentMethod: { id: "pm_1" } });
  await send({ type: "payrail.tokenize", id: "q1", postcode: "10001" });
  const answer = await received("payrail.token", "q1");
  expect(answer).toEqual({ version: 1, type: "payrail.token", id: "q1", token: "pm_1" });
  const details = {
    type: "card",
    card: "card",
    billing_details: { address: { postal_code: "10001" } },
  };
  expect(await calls()).toEqual([
    ["createPaymentMethod", details],
    ["clear", "cardCvc"],
  ]);
});

test("a card for later becomes a token with its customer", async () => {
  await prepare({ setupIntent: { payment_method: "pm_2" } });
  await send({ type: "payrail.tokenize", id: "q2", postcode: "10001", forLater: true });
  const answer = await received("payrail.token", "q2");
  expect(answer?.token).toMatch(/^pm_2\.cus_\w+$/);
  expect(bed.books.customers).toContain(String(answer?.token).split(".")[1]);
  const [[name, secret] = []] = await calls();
  expect([name, secret]).toEqual([
    "confirmCardSetup",
    expect.stringMatching(/^seti_\w+_secret_[\w-]+$/),
  ]);
});

test("an action is carried out, with room for the issuer's page meanwhile", async () => {
  await prepare({ paymentIntent: { status: "succeeded" } });
  await send({ type: "payrail.confirm", id: "q3", action: "pi_1_secret_1" });
  const answer = await received("payrail.confirmed", "q3");
  expect(answer).toEqual({ version: 1, type: "payrail.confirmed", id: "q3" });
  expect(await calls()).toEqual([["handleNextAction", { clientSecret: "pi_1_secret_1" }]]);
  await frame().evaluate(
    "results.push(new Promise((resolve) => { answerNow = () => resolve({ error: {} }); }))",
  );
  await send({ type: "payrail.confirm", id: "q4", action: "pi_1_secret_1" });
  const isTall = ({ type, height }: Message) => type === "payrail.size" && Number(height) >= 640;
  await until(async () => (await messages()).some(isTall));
  await frame().evaluate("answerNow()");
  expect((await received("payrail.error", "q4"))?.message).toBe("The card could not be checked.");
  await until(async () => {
    const last = (await messages()).findLast(({ type }) => type === "payrail.size");
    return Number(last?.height) < 400;
  });
});

test("an error of Stripe.js is told, in at most 200 characters", async () => {
  await prepare({ error: { message: "x".repeat(300) } });
  await send({ type: "payrail.tokenize", id: "q5" });
  expect((await received("payrail.error", "q5"))?.message).toBe("x".repeat(200));
  expect(await calls()).toEqual([
    ["createPaymentMethod", { type: "card", card: "card", billing_details: {} }],
  ]);
});

test("a fault of an input stands beside it until it is gone", async () => {
  const error = frame().locator("#cardNumber-error");
  await frame().evaluate(`globalThis["change-cardNumber"]({ error: { message: "Too short." } })`);
  expect(await error.textContent()).toBe("Too short.");
  await frame().evaluate(`globalThis["change-cardNumber"]({})`);
  expect(await error.textContent()).toBe("");
});

test("the Enter key counts as the page's button, and other messages are ignored", async () => {
  await frame().evaluate("document.forms[0].requestSubmit()");
  expect(await received("payrail.submit")).toEqual({ version: 1, type: "payrail.submit" });
  await prepare({ paymentMethod: { id: "pm_3" } });
  await send({ type: "payrail.tokenize", id: "q6" }, 2);
  await send({ type: "constructor", id: "q6" });
  await send({ type: "payrail.tokenize", id: 6 });
  await frame().evaluate(
    `postMessage({ version: 1, type: "payrail.tokenize", id: "q6" }, location.origin)`,
  );
  await send({ type: "payrail.tokenize", id: "q7" });
  expect((await received("payrail.token", "q7"))?.token).toBe("pm_3");
  expect((await messages()).filter(({ id }) => id === "q6" || id === 6)).toEqual([]);
});
