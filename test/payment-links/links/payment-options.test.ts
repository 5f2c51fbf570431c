// The payment options of a link (docs/integrate/rest-api.md, Payment links): any are accepted, only
// cards are taken, and a link that excludes cards is not paid by card.

import type { Answer } from "../../support/http.ts";
import {
  dataOf,
  linkBody,
  startWorld,
  type TestBusiness,
  type World,
} from "../../support/world.ts";

let world: World;
let business: TestBusiness;

beforeAll(async () => {
  world = await startWorld();
  business = await world.business();
  await world.collectionAccount(business);
});
afterAll(async () => {
  await world?.verifyBooks();
  await world?.stop();
});

const create = (fields: object): Promise<Answer> =>
  world.http.post("/v1/ext/collections/payment-link", linkBody({ ...fields }), business);
const show = async (id: string) => {
  const path = `/v1/business/${business.id}/payment-links/${id}`;
  return dataOf(await world.http.get(path, business), 200);
};

test.each([
  [undefined, ["card"], []],
  [["card"], ["card"], []],
  // An empty list names no option, as no list does.
  [[], ["card"], []],
  [
    ["bank", "Card", "wallet"],
    ["bank", "Card", "wallet"],
    ["bank", "wallet"],
  ],
])(
  "a link with the options %j is paid by card, and the rest is shown",
  async (asked, kept, unsupported) => {
    const made = dataOf(await create({ acceptedPaymentOptions: asked }), 200);
    const { application, unsupportedPaymentOptions } = made;
    expect(unsupportedPaymentOptions).toEqual(unsupported.length > 0 ? unsupported : undefined);
    expect(await show(application.id)).toMatchObject({
      acceptedPaymentOptions: kept,
      unsupportedPaymentOptions: unsupported,
    });
    const view = dataOf(await world.http.get(`/v1/checkout/${application.token}`), 200);
    expect(view.paymentOptions).toEqual(["card"]);
    const paid = await world.pay({ ...made, ...application }, await world.cardToken());
    expect(dataOf(paid, 200).status).toBe("SUCCEEDED");
  },
);

describe("a link without a supported option", () => {
  const options = ["bank_transfer", "__proto__"];

  test("is created and says so, and takes no card", async () => {
    const made = dataOf(await create({ acceptedPaymentOptions: options }), 200);
    const { application, url } = made;
    expect(made.unsupportedPaymentOptions).toEqual(options);
    expect(await show(application.id)).toMatchObject({ unsupportedPaymentOptions: options });
    const view = dataOf(await world.http.get(`/v1/checkout/${application.token}`), 200);
    expect(view).toMatchObject({ status: "ACTIVE", paymentOptions: [] });
    const { status, body } = await world.pay({ ...made, ...application }, await world.cardToken());
    expect([status, body.message]).toEqual([409, "The payment link cannot be paid"]);
    expect((await show(application.id)).payments).toBe(0);
    const page = await world.http.get(new URL(url).pathname);
    expect(page.text).toContain("Cards cannot be taken on this page");
    expect(page.text).not.toContain("Card number");
  });

  test("saves no card for a subscription", async () => {
    const link = await world.recurringLink(business, { acceptedPaymentOptions: options });
    const { status, body } = await world.setup(link, await world.cardToken());
    expect([status, body.message]).toEqual([409, "The payment link cannot be paid"]);
    const subscriptions = await world.http.get(
      `/v1/business/${business.id}/subscriptions`,
      business,
    );
    expect(dataOf(subscriptions, 200)).toEqual([]);
  });
});
