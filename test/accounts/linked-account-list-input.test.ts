// Invalid parameters of the business list of linked accounts (docs/integrate/rest-api.md, Business
// list).

import { CURRENCIES } from "../../shared/money.ts";
import { listRefusal } from "../support/refusal.ts";
import { startWorld, type TestBusiness, type World } from "../support/world.ts";

const NOTHING = { page: 1, pageSize: 50, pageCount: 0, total: 0 };

let world: World;
let business: TestBusiness;

beforeAll(async () => {
  world = await startWorld();
  business = await world.business();
});
afterAll(() => world?.stop());

const list = (query: string, currency = "USD") => {
  const path = `/v1/business/${business.id}/linked-accounts/${currency}`;
  return world.http.get(query ? `${path}?${query}` : path, { token: business.token });
};

const LONG = "a".repeat(10_000);
const TYPES = "one of bank, card, international_bank, prepaid_card";
const SEARCHED = "a text of 0 to 64 characters, but has ";
test.each([
  ["accountType=BANK", `accountType must be ${TYPES}`],
  ["optionType=iban", `optionType must be ${TYPES}`],
  ["accountType=bank&optionType=card", "accountType must be optionType where both are given"],
  ["last4=12345", "last4 must be 1 to 4 digits"],
  ["last4=12a", "last4 must be 1 to 4 digits"],
  ["last4=%2042", "last4 must be 1 to 4 digits"],
  ["last4=%D9%A1%D9%A2", "last4 must be 1 to 4 digits"],
  ["last4=.*", "last4 must be 1 to 4 digits"],
  ["page=0", "page must be a whole number from 1 to 1000000000"],
  ["page=1.5", "page must be a whole number from 1 to 1000000000"],
  ["limit=0", "limit must be a whole number from 1 to 100"],
  ["limit=101", "limit must be a whole number from 1 to 100"],
  ["limit=-1", "limit must be a whole number from 1 to 100"],
  ["limit=1e1", "limit must be a whole number from 1 to 100"],
  ["sortBy=sealed", "sortBy must be one of"],
  ["sortBy=__proto__", "sortBy must be one of"],
  ["sortBy=CREATEDAT", "sortBy must be one of"],
  ["sortDirection=up", "sortDirection must be one of ASC, DESC"],
  ["sortDirection=-1", "sortDirection must be one of ASC, DESC"],
  ["search[$ne]=x", "search must be given once"],
  ["search[]=x", "search must be given once"],
  ["search=a&search=b", "search must be given once"],
  ["email%5B%24regex%5D=.*", "email must be given once"],
  ["bank[__proto__]=x", "bank must be given once"],
  ["externalId[$gt]=", "externalId must be given once"],
  [`search=${LONG}`, `search must be ${SEARCHED}`],
  [`search=${"a".repeat(65)}`, `search must be ${SEARCHED}`],
  [`email=${LONG}`, `email must be ${SEARCHED}`],
  [`bank=${LONG}`, `bank must be ${SEARCHED}`],
  ["search=a%00b", `search must be ${SEARCHED}`],
  ["search=a%0Ab", `search must be ${SEARCHED}`],
  ["search=A%E2%81%A6da", `search must be ${SEARCHED}`],
  ["bank=%E2%80%AEknab", `bank must be ${SEARCHED}`],
  ["email=%1B", `email must be ${SEARCHED}`],
  [`externalId=${LONG}`, "externalId must be a text"],
  ["limit=0&page=0&last4=x", "limit must be a whole number from 1 to 100"],
])("?%.60s is a 400 that names the parameter", async (query, message) => {
  const { status, body } = await list(query);
  expect([status, body.code, body.success]).toEqual([400, "validation_failed", false]);
  expect(body.message).toContain(message);
});

test("a 400 names all invalid parameters", async () => {
  const { body } = await list("limit=0&page=x&last4=x");
  for (const name of ["limit", "page", "last4"]) expect(body.message).toContain(`${name} must`);
});

test.each(["XXX", "US", "U%53D%00", "__proto__", "$ne", "a".repeat(300)])(
  "the currency %.20s is a 400",
  async (currency) => {
    const { status, body } = await list("", currency);
    const message = `currency must be one of ${CURRENCIES.join(", ")}`;
    expect([status, body]).toEqual([400, listRefusal(message)]);
  },
);

test("a search of 1 to 64 characters, also an operator's name, matches as text", async () => {
  for (const text of ["a".repeat(64), "a", "$ne", "__proto__", "{}", "[object Object]"]) {
    const { status, body } = await list(`search=${encodeURIComponent(text)}`);
    expect([text, status, body.meta]).toEqual([text, 200, NOTHING]);
  }
});
