// docs/integrate/payment-links.md is true, and its examples run one after the other without
// changes.

import { computePrices } from "../../../services/payment-links/links/link-request.ts";
import { loadConfig } from "../../../shared/config/env.ts";
import type { Field } from "../../../shared/contracts/field.ts";
import { cartItem, linkRequest } from "../../../shared/contracts/payment-link-data.ts";
import { LINK_STATUSES } from "../../../shared/contracts/payment-links.ts";
import { ERRORS, type ErrorType } from "../../../shared/errors.ts";
import { toDecimal } from "../../../shared/money.ts";
import { readDocument } from "../../support/document.ts";
import { pasteInto } from "../../support/pasted.ts";
import { testEnvironment, until } from "../../support/system.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "../../support/world.ts";

const { page: PAGE, blocks, table: markedTable } = readDocument("docs/integrate/payment-links.md");

/** The rows of a table, without code marks. */
const table = (head: string) =>
  markedTable(head).map((cells) => cells.map((cell) => cell.replaceAll("`", "")));

let world: World;
let business: TestBusiness;

beforeAll(async () => {
  world = await startWorld({ paymentLinksInstead: [{ outcomeWithinMs: 5_000 }] });
  business = await world.business();
});
afterAll(async () => {
  await world?.verifyBooks();
  await world?.stop();
});

test("the page's commands run without changes and move the documented amounts", async () => {
  const hook = await world.hook(business);
  const page = "docs/integrate/payment-links.md";
  const lines = await pasteInto(world, business, page, 'echo "$ACCOUNT $WALLET"');
  const [account = "", wallet = ""] = (lines.at(-1) as string).split(" ");
  // 25.00 was paid; 10.00 less its fee was refunded and 12.00 went to the wallet, which then paid
  // 5.00 and a fee twice.
  expect(await world.balance(business, { id: account })).toBe("3.41");
  expect(await world.balance(business, { id: wallet })).toBe("1.50");

  const received = (type: string) =>
    hook.received.find(({ body }) => body.eventType === type)?.body;
  const [collection, refund] = blocks("json").map((text) => JSON.parse(text) as object);
  expect(anonymous(await until(() => received("COLLECTION")))).toEqual(anonymous(collection));
  expect(anonymous(await until(() => received("REFUND")))).toEqual(anonymous(refund));
});

test("the page's notification follows a payment of a link with an agent", async () => {
  const hook = await world.hook(business, { eventTypes: ["NOTIFICATION"] });
  const agent = { type: "sales", email: "bob@example.com", name: "Bob" };
  const link = await world.paymentLink(business, { agent, notifyPayee: true });
  dataOf(await world.pay(link, await world.cardToken()), 200);
  const { body } = await until(() => hook.received[0]);
  expect(anonymous(body)).toEqual(anonymous(JSON.parse(blocks("json")[2] as string)));
});

test("the page's example of a link's own endpoint is accepted without changes", async () => {
  const advancedConfig = JSON.parse(blocks("json")[3] as string) as object;
  expect((await world.paymentLink(business, { advancedConfig })).id).toBeTruthy();
});

/** The body with fixed ids, times and address of the business. */
function anonymous(body: unknown): unknown {
  const text = JSON.stringify(body);
  return JSON.parse(
    text
      .replaceAll(/"[\da-f]{8}-[\da-f]{4}-7[\da-f-]{21}"/g, '"id"')
      .replaceAll(/"acme-[\da-f-]+@/g, '"acme@')
      .replaceAll(/("timestamp":)\d+/g, "$10"),
  );
}

test("the page's prices are the charged prices", () => {
  const fee = loadConfig(testEnvironment()).fees.CARD_COLLECTION.USD;
  const rows = table("| `amount` | `customerPays` |");
  expect(rows).toHaveLength(6);
  for (const [amount, customerPays, ...sums] of rows) {
    const terms = { amount: Number(amount), customerPays: customerPays === "true" };
    const prices = computePrices({ ...terms, checkoutType: "generic" }, fee);
    const { totalMinor, feesMinor, amountMinor } = prices;
    expect([amount, ...sums]).toEqual([
      amount,
      ...[totalMinor, feesMinor, amountMinor].map(toDecimal),
    ]);
  }
});

test("the page's cards have the documented outcomes", async () => {
  const rows = table("| last four |");
  for (const [lastFour = "", number = "", outcome = ""] of rows) {
    const card = { number, expMonth: 12, expYear: 2040, cvc: "123" };
    const vault = await world.http.post("/v1/sandbox/card-tokens", card);
    const { token, last4 } = dataOf(vault, 201);
    if (lastFour !== "others") expect(last4).toBe(lastFour);
    const link = await world.paymentLink(business);
    const { id, status, reason } = dataOf(await world.pay(link, token), 200);
    expect(outcome).toContain(status);
    if (reason !== undefined) expect(outcome).toBe(`FAILED, ${reason}`);
    if (status !== "PENDING") continue;
    const path = `/v1/checkout/${link.token}/payments/${id}`;
    const state = async () => dataOf(await world.http.get(path), 200).status as string;
    const ended = await until(async () => {
      const now = await state();
      return now !== "PENDING" && now;
    });
    expect(outcome).toMatch(new RegExp(`PENDING, then ${ended}$`));
  }
  expect(rows.map(([lastFour]) => lastFour)).toHaveLength(7);
});

test("the page names the existing states, answers and bounds", () => {
  expect(table("| `status` | |").map(([status]) => status)).toEqual([...LINK_STATUSES]);
  const answers = table("| answer | meaning |").map(([answer]) => answer);
  const conflicts: ErrorType[] = [
    "COLLECTIONS_PAUSED",
    "LINK_NOT_PAYABLE",
    "LINK_BUSY",
    "USED_RECENTLY",
    "STILL_RUNNING",
  ];
  const named = conflicts.map((type) => `${ERRORS[type].status} ${ERRORS[type].message}`);
  expect(answers.filter((answer) => answer?.startsWith("409"))).toEqual(named);
  const statusOf = (type: ErrorType) => ERRORS[type].status;
  expect([statusOf("KEY_REUSED"), statusOf("PAYMENT_OUTCOME_UNKNOWN")]).toEqual([422, 500]);
  const refusals: ErrorType[] = ["INSUFFICIENT_FUNDS", "NOT_REFUNDABLE", "NO_COLLECTION_ACCOUNT"];
  for (const type of [...refusals, "MALFORMED_REQUEST" as const]) {
    expect(PAGE).toContain(`\`${ERRORS[type].message}\``);
  }
  const bounds = new Map(
    table("| | at most |").map(([name, most]) => [name, parseInt(most ?? "", 10)]),
  );
  const boundOf = ({ schema }: Field, keyword: string) => schema[keyword];
  expect(bounds.get("cart items")).toBe(boundOf(linkRequest.cartItems, "maxItems"));
  expect(bounds.get("entries of customData and of agent")).toBe(
    boundOf(linkRequest.customData, "maxProperties"),
  );
  expect(bounds.get("names in dataCollections, in customFields")).toBe(
    boundOf(linkRequest.dataCollections, "maxItems"),
  );
  const name = bounds.get("texts (name, orderId, externalId, names of items)");
  expect([linkRequest.name, linkRequest.orderId, linkRequest.externalId, cartItem.name]).toEqual(
    [name, name, name, name].map((maxLength) =>
      expect.objectContaining({ schema: expect.objectContaining({ maxLength }) }),
    ),
  );
  expect(bounds.get("itemDeliveryAddress, descriptions of items")).toBe(
    boundOf(linkRequest.itemDeliveryAddress, "maxLength"),
  );
});
