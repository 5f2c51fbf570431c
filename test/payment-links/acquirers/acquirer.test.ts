// The acquirer: the vault and the books of the sandbox, and a configured acquirer.

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import passesLuhn from "fast-luhn";
import sandboxAcquirer from "../../../partners/sandbox/acquirer.ts";
import type { SandboxCard } from "../../../partners/sandbox/vault.ts";
import type { Acquirer, Card } from "../../../partners/types.ts";
import paymentLinks from "../../../services/payment-links/payment-links.service.ts";
import { LATE, systemClock } from "../../../shared/clock.ts";
import { loadConfig } from "../../../shared/config/env.ts";
import { openPaymentBooks, type PaymentBooks, scriptedAcquirer } from "../../support/payments.ts";
import { endOf, forkService, startService } from "../../support/processes.ts";
import { sandboxContext } from "../../support/sandbox.ts";
import { testEnvironment, until } from "../../support/system.ts";
import { dataOf, startWorld, type World } from "../../support/world.ts";

let world: World;
let books: PaymentBooks;
let acquirer: Acquirer;

beforeAll(async () => {
  world = await startWorld();
  books = await openPaymentBooks(world);
  acquirer = sandboxAcquirer(sandboxContext(books.connection));
});

afterAll(async () => {
  await books.close();
  await world.stop();
});

const card = { number: "4242 4242-4242 4242", expMonth: 12, expYear: 2099, cvc: "123" };
const save = (fields: object) => world.http.post("/v1/sandbox/card-tokens", { ...card, ...fields });

describe("the vault", () => {
  test.each([
    ["4242424242424242", "Visa"],
    ["5555555555554444", "Mastercard"],
    ["2223003122003222", "Mastercard"],
    ["378282246310005", "American Express"],
    ["6011111111111117", "Discover"],
    ["3566002020360505", "JCB"],
    ["30569309025904", "Diners Club"],
    ["6200000000000005", "UnionPay"],
    ["6759649826438453", "Maestro"],
    ["9000000000000001", "Card"],
  ])("keeps %s as a %s, without its number and code", async (number, brand) => {
    const { token, ...shown } = dataOf(await save({ number }), 201);
    expect(shown).toEqual({ brand, last4: number.slice(-4) });
    expect(await acquirer.tokenInfo(token)).toEqual(shown);
    const kept = await books.cards.find().toArray();
    for (const secret of [number, token]) expect(JSON.stringify(kept)).not.toContain(secret);
    const names = ["_id", "brand", "expiresAt", "forgetAt", "last4"];
    for (const each of kept) expect(Object.keys(each).toSorted()).toEqual(names);
  });

  test.each([
    [{ number: "4242424242424241" }, "number must be a card number that passes Luhn's check"],
    // Numbers with the length and prefix of real cards.
    ...["4929000000006", "4539578763621486", "5425233430109903", "6212345678901232"].map(
      (number): [object, string] => [
        { number },
        "number must be a test number, such as 4242 4242 4242 4242; the sandbox takes no real card",
      ],
    ),
    [{ number: "4242" }, "number must be a card number of 12 to 19 digits"],
    [
      { number: 4242424242424242 },
      "number must be a card number of 12 to 19 digits, but is a number",
    ],
    [{ expYear: 2024 }, "expMonth and expYear must not lie in the past"],
    [
      { number: "4242424242424241", expYear: 2024 },
      "number must be a card number that passes Luhn's check; expMonth and expYear must not lie in the past",
    ],
    [{ expMonth: 13 }, "expMonth must be a whole number from 1 to 12"],
    [{ expYear: "2099" }, "expYear must be a whole number from 2000 to 2100, but is a text"],
    [{ cvc: "12" }, "cvc must be 3 or 4 digits"],
  ])("refuses %j", async (fields, message) => {
    const before = await books.cards.countDocuments();
    const { status, body, text } = await save(fields);
    expect([status, body.message]).toEqual([400, message]);
    const rest = text.replaceAll("4242 4242 4242 4242", "").replace(body.requestId, "");
    expect(rest).not.toMatch(/\d{9}/);
    expect(await books.cards.countDocuments()).toBe(before);
  });

  test.each(["0002", "9995", "0069", "0341", "0119", "5126", "4242", "1234"])(
    "accepts a number of each test range that ends with %s",
    async (last4) => {
      const ranges = ["40000000000", "41111111111", "42424242424", "55555555555", "22230000000"];
      for (const range of ranges) {
        const numbers = [...Array(10).keys()].map((digit) => `${range}${digit}${last4}`);
        const number = numbers.find(passesLuhn);
        expect(dataOf(await save({ number }), 201).last4).toBe(last4);
      }
    },
  );

  test("forgets a card after a day and still charges a saved one", async () => {
    const link = await world.recurringLink(await world.business());
    const token = await world.cardToken("0341");
    expect((await world.setup(link, token)).status).toBe(200);
    const charge = {
      amountMinor: 2_500,
      currency: "USD" as const,
      description: "Tulips",
      token,
      isCustomerPresent: true,
    };
    const word = { kind: "declined", code: "card_declined" };
    const anyCard = { last4: "0341" };
    const { forgetAt } = (await books.cards.findOne(anyCard)) as SandboxCard;
    expect(forgetAt.getTime() - Date.now()).toBeGreaterThan(86_000_000);
    expect(forgetAt.getTime() - Date.now()).toBeLessThanOrEqual(86_400_000);
    const indexes = await books.cards.indexes();
    expect(indexes).toContainEqual(
      expect.objectContaining({ key: { forgetAt: 1 }, expireAfterSeconds: 0 }),
    );
    // A day later the card is gone, both before MongoDB deletes the document and afterwards.
    await books.cards.updateMany(anyCard, { $set: { forgetAt: new Date() } });
    for (const isDeleted of [false, true]) {
      if (isDeleted) await books.cards.deleteMany(anyCard);
      expect(await acquirer.tokenInfo(token)).toBeNull();
      expect(await acquirer.charge({ ...charge, id: randomUUID() })).toEqual(word);
      for (const refused of [
        await world.setup(await world.recurringLink(await world.business()), token),
        await world.pay(await world.paymentLink(await world.business()), token),
      ]) {
        expect([refused.status, refused.body.message]).toEqual([
          400,
          "paymentMethod.token must be a token of the card vault",
        ]);
      }
    }
    const expired = token.replace(/\d+$/, "1700000000000").replace(".0341.", ".4242.");
    expect(await acquirer.charge({ ...charge, id: randomUUID(), token: expired })).toEqual({
      kind: "declined",
      code: "expired_card",
    });
  });

  test("exists only in the sandbox: elsewhere no card can be saved or charged", async () => {
    const live = await startWorld({ environment: { SANDBOX: "false" } });
    try {
      expect((await live.http.post("/v1/sandbox/card-tokens", card)).status).toBe(404);
      const asked = live.call("payment-links.createCardToken", card);
      await expect(asked).rejects.toMatchObject({ type: "NOT_FOUND" });
      const link = await live.paymentLink(await live.business());
      expect((await live.pay(link, "card")).status).toBe(503);
    } finally {
      await live.stop();
    }
  });
});

describe("the sandbox's books", () => {
  const token = (lastFour: string) => world.cardToken(lastFour);
  const CAPTURED = { kind: "captured", amountMinor: 2_500, currency: "USD" };
  async function charge(lastFour = "4242", id: string = randomUUID(), amountMinor = 2_500) {
    const paid = { id, token: await token(lastFour), amountMinor, currency: "USD" as const };
    return {
      id,
      word: await acquirer.charge({ ...paid, description: "Tulips", isCustomerPresent: true }),
    };
  }
  const refund = (chargeId: string, amountMinor: number, id: string = randomUUID()) =>
    acquirer.refund({ id, chargeId, amountMinor, currency: "USD" });

  test("the first charge of an id decides, all charges are counted, a void reports it", async () => {
    const { id, word } = await charge();
    expect(word).toEqual(CAPTURED);
    expect((await charge("0002", id)).word).toEqual(CAPTURED);
    expect((await charge("4242", id, 90)).word).toEqual(CAPTURED);
    expect(await books.charges.findOne({ _id: id })).toMatchObject({ charges: 3, last4: "4242" });
    expect(await acquirer.void(id)).toEqual(CAPTURED);
  });

  test("concurrent charges of one id are one charge", async () => {
    const id = randomUUID();
    const words = await Promise.all(Array.from({ length: 20 }, () => charge("4242", id)));
    expect(new Set(words.map(({ word }) => word.kind))).toEqual(new Set(["captured"]));
    expect((await books.charges.findOne({ _id: id }))?.charges).toBe(20);
  });

  test("a voided charge is never captured, also in a race of charge and void", async () => {
    const id = randomUUID();
    expect(await acquirer.void(id)).toEqual({ kind: "voided" });
    expect((await charge("4242", id)).word).toEqual({ kind: "declined", code: "voided" });
    expect(await acquirer.void(id)).toEqual({ kind: "voided" });
    for (let round = 0; round < 20; round++) {
      const both = randomUUID();
      const [charged, voided] = await Promise.all([charge("4242", both), acquirer.void(both)]);
      const isCharged = charged.word.kind === "captured";
      expect(voided.kind).toBe(isCharged ? "captured" : "voided");
    }
  });

  test.each([
    ["0002", "card_declined"],
    ["9995", "insufficient_funds"],
    ["0069", "expired_card"],
    ["0341", "card_declined"],
  ])("%s is declined as %s, and stays so", async (lastFour, code) => {
    const { id, word } = await charge(lastFour);
    expect(word).toEqual({ kind: "declined", code });
    expect(await acquirer.void(id)).toEqual(word);
  });

  test("0119 is captured without an answer, and a void reports the capture", async () => {
    const id = randomUUID();
    const charging = charge("0119", id);
    await until(() => books.charges.findOne({ _id: id }));
    expect(await systemClock.within(charging, 500)).toBe(LATE);
    expect(await acquirer.void(id)).toEqual(CAPTURED);
  });

  test("an unknown card and a card that has expired since it was saved are declined", async () => {
    const expiring = await token("7777");
    await books.cards.updateMany({ last4: "7777" }, { $set: { expiresAt: 0 } });
    const paid = {
      amountMinor: 100,
      currency: "USD" as const,
      description: "Tulips",
      isCustomerPresent: true,
    };
    const ask = (of: string) => acquirer.charge({ ...paid, id: randomUUID(), token: of });
    expect(await ask(expiring)).toEqual({ kind: "declined", code: "expired_card" });
    expect(await ask("card_none")).toEqual({ kind: "declined", code: "unknown" });
  });

  test("a refund id counts once, and a refund above the charge or of 5126 is refused", async () => {
    const { id } = await charge();
    const first = randomUUID();
    const refunded = { kind: "refunded", amountMinor: 2_000, currency: "USD" };
    expect(await refund(id, 2_000, first)).toEqual(refunded);
    expect(await refund(id, 2_000, first)).toEqual(refunded);
    expect(await refund(id, 90, first)).toEqual(refunded);
    const refused = { kind: "refused", code: "refund_refused" };
    expect(await refund(id, 501)).toEqual(refused);
    expect(await refund(id, 500)).toEqual({ ...refunded, amountMinor: 500 });
    expect(await refund(id, 1)).toEqual(refused);
    expect(await refund((await charge("5126")).id, 1)).toEqual(refused);
    expect(await refund((await charge("0002")).id, 1)).toEqual(refused);
    expect(await refund(randomUUID(), 1)).toEqual(refused);
  });
});

describe("a vault that sends wrong answers", () => {
  const script = scriptedAcquirer();
  let system: World;
  let state: PaymentBooks;
  beforeAll(async () => {
    script.answers.charge = async () => ({ kind: "captured" });
    system = await startWorld({ paymentLinksInstead: [{ acquirer: script.acquirer }] });
    state = await openPaymentBooks(system);
  });
  afterAll(async () => {
    await system.verifyBooks();
    await state.close();
    await system.stop();
  });
  const saying = (answer: unknown) => {
    script.acquirer.tokenInfo = async () => answer as Card;
  };

  test.each([
    ["a whole number for four digits", { brand: "Visa", last4: "4242424242424242" }],
    ["digits that are a number", { brand: "Visa", last4: 4242 }],
    ["markup for a brand", { brand: "<b>Visa</b>", last4: "4242" }],
    ["no brand", { last4: "4242" }],
    ["a text", "Visa 4242"],
    ["nothing", undefined],
  ])("answers %s: 503, and nothing is stored", async (_, answer) => {
    const business = await system.business();
    const link = await system.paymentLink(business);
    const plan = await system.recurringLink(business);
    saying(answer);
    expect((await system.pay(link, "card")).status).toBe(503);
    expect((await system.setup(plan, "card")).status).toBe(503);
    expect(await state.payments.countDocuments({ businessId: business.id })).toBe(0);
    expect(await state.methods.countDocuments({ businessId: business.id })).toBe(0);
  });

  test("fields other than brand and four digits are neither stored nor served", async () => {
    const business = await system.business();
    const number = "4000123412341881";
    saying({ brand: "Visa", last4: "1881", number, cvc: "123" });
    const paid = dataOf(await system.pay(await system.paymentLink(business), "card"), 200);
    const plan = await system.recurringLink(business);
    const { subscriptionId } = dataOf(await system.setup(plan, "card"), 200);
    const { token } = business;
    const shown = await system.http.get(`/v1/business/${business.id}/payments/${paid.id}`, {
      token,
    });
    const stored = [
      await state.payments.find({ businessId: business.id }).toArray(),
      await state.methods.find({ subscriptionId }).toArray(),
      await system.ofSubscription(business, subscriptionId),
      dataOf(shown, 200),
    ];
    expect(dataOf(shown, 200).card).toEqual({ brand: "Visa", last4: "1881" });
    expect(JSON.stringify(stored)).not.toContain(number);
  });
});

test("a refund goes to the acquirer of its charge after a change of the acquirer", async () => {
  const [old, young] = [scriptedAcquirer("old"), scriptedAcquirer("young")];
  for (const { answers } of [old, young]) {
    answers.charge = async () => ({ kind: "captured" });
    answers.refund = async () => ({ kind: "refunded" });
  }
  const system = await startWorld({ paymentLinksInstead: [{ acquirer: old.acquirer }] });
  try {
    const business = await system.business();
    const { token } = business;
    const link = await system.paymentLink(business);
    const { id } = dataOf(await system.pay(link, "card"), 200);
    await system.broker.destroyService("payment-links");
    const both = { acquirer: young.acquirer, formerAcquirers: [old.acquirer] };
    system.broker.createService(paymentLinks(system.config, both));
    await system.broker.waitForServices("payment-links", 60_000, 20);
    const later = dataOf(await system.pay(link, "card"), 200);
    for (const paid of [id, later.id]) {
      const path = `/v1/business/${business.id}/payments/${paid}/refunds`;
      const answer = await system.http.post(path, { reference: "all" }, { token });
      expect(dataOf(answer, 201).status).toBe("SUCCEEDED");
    }
    const asked = [old, young].map(({ charges, refundsOf }) => [charges(), refundsOf()]);
    expect(asked).toEqual([
      [[id], [id]],
      [[later.id], [later.id]],
    ]);
    await system.verifyBooks();
  } finally {
    await system.stop();
  }
});

describe("a configured acquirer", () => {
  const OWN = `
export default function acquirer(config) {
  return {
    name: "own",
    test: true,
    tokenInfo: async (token) => (token === "own" ? { brand: "Own", last4: "0001" } : null),
    charge: async ({ amountMinor, currency }) =>
      config.sandbox && amountMinor === 2606
        ? { kind: "captured", amountMinor, currency }
        : { kind: "declined", code: "x" },
    void: async () => ({ kind: "unknown" }),
    refund: async () => ({ kind: "unknown" }),
  };
}
`;
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "payrail-acquirer-"));
    await writeFile(join(directory, "own.mjs"), OWN);
    await writeFile(join(directory, "none.mjs"), "export const acquirer = null;");
    await writeFile(join(directory, "same.mjs"), OWN);
  });
  afterAll(() => rm(directory, { recursive: true }));

  const charging = (file: string) => ({ ACQUIRER: join(directory, file) });

  test("charges instead of the sandbox", async () => {
    const system = await startWorld({ overNats: true, paymentLinksInstead: [] });
    const state = await openPaymentBooks(system);
    const { child } = await startService(system, "payment-links", charging("own.mjs"));
    await until(async () => (await system.http.get("/health/ready")).body.away.length === 0);
    const business = await system.business();
    const link = await system.paymentLink(business);
    // This acquirer has no vault, and does not know the sandbox's tokens.
    const view = dataOf(await system.http.get(`/v1/checkout/${link.token}`), 200);
    expect(view).toMatchObject({ vault: null, takesTestCards: false });
    const page = await system.http.get(new URL(link.url).pathname);
    expect(page.text).toContain("Cards cannot be taken on this page");
    expect(dataOf(await system.pay(link, "own"), 200).status).toBe("SUCCEEDED");
    expect((await system.pay(link, await system.cardToken())).status).toBe(400);
    const dear = await system.paymentLink(business, { amount: 30 });
    expect(dataOf(await system.pay(dear, "own"), 200)).toMatchObject({
      status: "FAILED",
      reason: "Your card could not be charged.",
    });
    expect(await state.charges.countDocuments()).toBe(0);
    await system.verifyBooks();
    child.kill();
    await endOf(child);
    await state.close();
    await system.stop();
  });

  test("the first of several paths makes the charges", () => {
    const { acquirers } = loadConfig(testEnvironment({ ACQUIRER: " ./new.js , ./old.js," }));
    expect(acquirers).toEqual(["./new.js", "./old.js"]);
  });

  test.each([
    ["that cannot be loaded", ["none.mjs"]],
    ["with the name of another one", ["own.mjs", "same.mjs"]],
  ])("%s ends the start with an error that names the file", async (_, files) => {
    const paths = files.map((file) => join(directory, file)).join(",");
    const child = forkService(world, "payment-links", { ACQUIRER: paths });
    let output = "";
    child.stderr?.on("data", (chunk) => {
      output += chunk;
    });
    // Waits for the whole error output.
    const [code] = await once(child, "close");
    expect(code).not.toBe(0);
    expect(output).toContain("ACQUIRER");
    expect(output).toContain(files.at(-1));
  });
});
