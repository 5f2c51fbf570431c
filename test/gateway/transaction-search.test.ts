// The filters of the list of transactions by what it shows. Every combination of two filters has
// exactly the transactions whose shown fields match both, newest first, for merchant and operator.

import { randomUUID } from "node:crypto";
import {
  dataOf,
  startWorld,
  type TestBusiness,
  type TestWallet,
  type World,
} from "../support/world.ts";

interface Shown {
  id: string;
  flow: string;
  amount: string;
  linkedAccountId: string | null;
  reference: string | null;
  recipient: { name: string; email: string; lastFour: string } | null;
  entity: { id: string; email: string; externalIdentifier: string | null };
}

const OPS = "ops@payers.example";
const PEOPLE = [
  { name: "Ada Lovelace", holder: "ada@lovelace.example", email: "a.l@users.example", ext: "c-1" },
  {
    name: "Grace Hopper",
    holder: "grace@navy.example",
    email: "ada.fan@users.example",
    ext: "c-2",
  },
  { name: "ADÈLE Ada Öz", holder: "oz@lovelace.example", email: "oz@users.example" },
];

let world: World;
let business: TestBusiness;
let accountId: string;
let unlinked: string;

beforeAll(async () => {
  world = await startWorld();
  business = await world.business();
  const { token } = business;
  await world.payer(100);
  for (const [index, { name, holder, email, ext }] of PEOPLE.entries()) {
    const fields = { email, ...(ext && { externalIdentifier: ext }) };
    const user = await world.user(business, fields);
    const wallet = await world.wallet(business, user, 1_000);
    const banks = [];
    for (const digits of [`67${index}9`, `000${index}`]) {
      banks.push(await link(wallet, { name, email: holder, digits: `4455${digits}` }));
    }
    for (const [i, bank] of [...banks, ...banks].entries()) {
      dataOf(await world.withdraw(user, bank, { amount: 10 * (i + 1) }), 200);
    }
    accountId = banks[0]?.id as string;
  }
  const own = await world.wallet(business, business, 500);
  const mine = await link(own, { name: "Acme Ada", email: OPS, digits: "99996789" });
  dataOf(await world.withdraw(business, mine, { amount: 20 }), 200);
  unlinked = mine.id;
  const path = `/v1/business/${business.id}/linked-accounts/USD/${unlinked}`;
  dataOf(await world.http.delete(path, { token }), 200);
  const paying = await world.paymentLink(business, { orderId: "order-7" });
  const { id } = dataOf(await world.pay(paying, await world.cardToken()), 200);
  const refund = { amount: 10, reference: "refund-7" };
  const refunds = `/v1/business/${business.id}/payments/${id}/refunds`;
  dataOf(await world.http.post(refunds, refund, { token }), 201);
});
afterAll(async () => {
  await world?.verifyBooks();
  await world?.stop();
});

async function link(wallet: TestWallet, of: { name: string; email: string; digits: string }) {
  const [firstName, ...rest] = of.name.split(" ");
  const data = {
    firstName,
    lastName: rest.join(" "),
    email: of.email,
    bankName: "First Bank",
    accountNumber: of.digits,
    routingNumber: "021000021",
    accountType: "CHECKING",
    recipientAddress: "1 Main St",
    recipientCity: "New York",
    recipientState: "NY",
    recipientPostalCode: "10001",
  };
  const path = `/v1/business/${business.id}/linked-accounts/USD`;
  const body = { walletId: wallet.id, optionType: "bank", data };
  const { id } = dataOf(await world.http.post(path, body, { token: business.token }), 201);
  return { id, currency: "USD" };
}

async function list(query: Record<string, string>, isOperator = false): Promise<Shown[]> {
  const base = isOperator ? "/v1/admin/businesses" : "/v1/business";
  const token = isOperator ? world.tokens.admin(randomUUID()) : business.token;
  const found: Shown[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const all: Record<string, string> = { ...query, limit: "30", ...(cursor && { cursor }) };
    const path = `${base}/${business.id}/transactions?${new URLSearchParams(all).toString()}`;
    const answer = await world.http.get(path, { token });
    found.push(...dataOf(answer, 200));
    cursor = answer.body.meta.nextCursor;
  }
  return found;
}

const has = (text: string | undefined, part: string) =>
  text?.normalize("NFC").toLowerCase().includes(part.toLowerCase()) ?? false;

/** Whether a shown transaction matches a filter. */
const MATCHES: Record<string, (shown: Shown, value: string) => boolean> = {
  search: ({ recipient }, value) => has(recipient?.name, value),
  email: ({ recipient, entity }, value) => has(recipient?.email, value) || has(entity.email, value),
  last4: ({ recipient }, value) => recipient?.lastFour.endsWith(value) ?? false,
  externalId: ({ entity }, value) => entity.externalIdentifier === value,
  linkedAccountId: (shown, value) => shown.linkedAccountId === value,
  amountFrom: ({ amount }, value) => Number(amount) >= Number(value),
  amountTo: ({ amount }, value) => Number(amount) <= Number(value),
  reference: ({ reference }, value) => reference === value,
  flow: ({ flow }, value) => flow === value || (value === "WITHDRAWAL" && flow === "PAYOUT"),
};

const valuesOf = (): [string, string][] => [
  ["search", "ada"],
  ["search", "adè"],
  ["search", "nobody"],
  ["email", "ada"],
  ["email", "LOVELACE.example"],
  ["email", "users.example"],
  ["email", "acme-"],
  ["email", "ops@"],
  ["last4", "6789"],
  ["last4", "9"],
  ["externalId", "c-2"],
  ["externalId", "c-3"],
  ["linkedAccountId", accountId],
  ["linkedAccountId", unlinked],
  ["amountFrom", "20.25"],
  ["amountFrom", "500"],
  ["amountTo", "20.25"],
  ["amountTo", "0.5"],
  ["reference", "refund-7"],
  ["reference", "order-7"],
  ["reference", "none"],
  ["flow", "REFUND"],
  ["flow", "FUNDING"],
  ["flow", "WITHDRAWAL"],
];

test("every combination of two filters has what matches both", async () => {
  const all = await list({});
  expect(new Set(all.map(({ flow }) => flow))).toEqual(
    new Set(["PAYOUT", "FUNDING", "COLLECTION", "REFUND"]),
  );
  const found = new Map<string, number>();
  for (const [index, [name, value]] of valuesOf().entries()) {
    for (const [other, otherValue] of valuesOf().slice(index)) {
      if (other === name && otherValue !== value) continue;
      const expected = all.filter(
        (shown) => MATCHES[name]?.(shown, value) && MATCHES[other]?.(shown, otherValue),
      );
      const query = { [name]: value, [other]: otherValue };
      expect([query, ids(await list(query))]).toEqual([query, ids(expected)]);
      found.set(name, (found.get(name) ?? 0) + expected.length);
    }
  }
  // A filter that never finds anything would be compared with nothing.
  for (const name of Object.keys(MATCHES)) expect([name, found.get(name)]).not.toEqual([name, 0]);
});

const ids = (shown: Shown[]) => shown.map(({ id }) => id);

test("an operator's list has the same filters", async () => {
  for (const [name, value] of valuesOf()) {
    const query = { [name]: value };
    expect([query, await list(query, true)]).toEqual([query, await list(query)]);
  }
});

test("a refund is found by its id, has a timeline, and no webhook payload", async () => {
  const { token } = business;
  const [refund] = await list({ flow: "REFUND" });
  const path = `/v1/transactions/${refund?.id}`;
  expect(dataOf(await world.http.get(path, { token }), 200)).toEqual(refund);
  const { entries } = dataOf(await world.http.get(`${path}/timeline`, { token }), 200);
  expect(entries).toMatchObject([{ transactionId: refund?.id, entry: "DEBIT" }]);
  expect((await world.http.get(`${path}/webhook-payload`, { token })).status).toBe(422);
  expect((await world.http.post(`${path}/cancel`, undefined, { token })).status).toBe(409);
  const stranger = await world.business();
  expect((await world.http.get(path, { token: stranger.token })).status).toBe(404);
});

test("another business's texts find nothing", async () => {
  const { token, id } = await world.business();
  for (const query of ["search=ada", "email=users.example", "last4=6789", "externalId=c-1"]) {
    const answer = await world.http.get(`/v1/business/${id}/transactions?${query}`, { token });
    expect([query, dataOf(answer, 200)]).toEqual([query, []]);
  }
});
