// The settings of the Stripe module, its description of cards, and its declines.

import { declineCode } from "../../../partners/stripe/declines.ts";
import { readSettings } from "../../../partners/stripe/settings.ts";
import { statementSuffix } from "../../../partners/stripe/statement.ts";
import type { Acquirer } from "../../../partners/types.ts";
import { openStripeBed, type StripeBed, stripeEnvironment } from "../../support/stripe.ts";

describe("the settings", () => {
  const environment = stripeEnvironment("http://127.0.0.1:1");
  const live = {
    ...environment,
    STRIPE_SECRET_KEY: "sk_live_1",
    STRIPE_PUBLISHABLE_KEY: "pk_live_1",
    STRIPE_API_URL: undefined,
  };

  test.each([
    ["sk_test_1", "pk_test_1", true],
    ["rk_test_1", "pk_test_1", true],
    ["sk_live_1", "pk_live_1", false],
    ["rk_live_1", "pk_live_1", false],
  ])("with the key %s move real money or say that they do not", (secret, publishable, isTest) => {
    const keys = { STRIPE_SECRET_KEY: secret, STRIPE_PUBLISHABLE_KEY: publishable };
    const { name, ...settings } = readSettings({ ...live, ...keys });
    expect([name, settings.isTest, settings.webhookSecret]).toEqual(["stripe", isTest, null]);
  });

  test.each([
    ["STRIPE_SECRET_KEY", undefined],
    ["STRIPE_SECRET_KEY", "pk_test_1"],
    ["STRIPE_SECRET_KEY", "sk_test_1\n"],
    ["STRIPE_PUBLISHABLE_KEY", undefined],
    ["STRIPE_PUBLISHABLE_KEY", "pk_live_1"],
    ["STRIPE_FIELD_URL", undefined],
    ["STRIPE_WEBHOOK_SECRET", "wrong"],
    ["STRIPE_API_URL", "nowhere"],
  ])("without a right %s (%j) name it, and not its value", (name, value) => {
    const read = () => readSettings({ ...environment, [name]: value });
    expect(read).toThrow(name);
    if (value) expect(read).not.toThrow(value);
  });

  test("send a live key to Stripe alone", () => {
    const elsewhere = { ...live, STRIPE_API_URL: "http://127.0.0.1:1" };
    expect(() => readSettings(elsewhere)).toThrow("STRIPE_API_URL must be unset");
  });
});

describe("a card", () => {
  let bed: StripeBed;
  let acquirer: Acquirer;

  beforeAll(async () => {
    bed = await openStripeBed();
    acquirer = bed.open();
  });

  afterAll(() => bed.close());

  test("is described by its brand and last four digits", async () => {
    for (const token of [bed.books.addCard("visa"), bed.books.addCard("visa", true)]) {
      expect(await acquirer.tokenInfo(token)).toEqual({ brand: "Visa", last4: "4242" });
    }
  });

  test("is unknown if Stripe does not have it, or if a charge of its token would fail", async () => {
    const [saved = "", customer] = bed.books.addCard("visa", true).split(".");
    const other = bed.books.addCard("visa");
    for (const token of ["pm_none", "pm_1.cus_none", saved, `${other}.${customer}`, "4242", ""]) {
      expect(await acquirer.tokenInfo(token)).toBeNull();
    }
  });
});

test.each([
  ["card_declined", "insufficient_funds", "insufficient_funds"],
  ["card_declined", "stolen_card", "card_declined"],
  ["card_declined", undefined, "card_declined"],
  ["expired_card", undefined, "expired_card"],
  ["incorrect_cvc", undefined, "incorrect_cvc"],
  ["card_declined", "constructor", "constructor"],
])("the decline %s (%s) is %s", (code, reason, expected) => {
  expect(declineCode({ type: "card_error", code, decline_code: reason })).toBe(expected);
});

test.each([
  ["Tulips", "Tulips"],
  ["Gold membership 2026", "Gold membe"],
  ["Crème <brûlée>", "Creme brul"],
  ["2026-11", undefined],
  ["花", undefined],
])("the statement of %j has %j", (description, suffix) => {
  expect(statementSuffix(description).statement_descriptor_suffix).toBe(suffix);
});
