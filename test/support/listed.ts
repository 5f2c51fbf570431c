// Shared by the tests of the two account lists: accounts of all types with chosen fields, and a
// slow, simple model of the expected list.

import { randomInt, randomUUID } from "node:crypto";
import { SORTED_BY } from "../../shared/contracts/linked-account-lists.ts";
import type { Answer } from "./http.ts";
import type { Random } from "./traffic.ts";
import {
  dataOf,
  internationalBody,
  type TestBusiness,
  type TestUser,
  type TestWallet,
  type World,
} from "./world.ts";

type Body = Record<string, unknown>;

/** An account in the model. */
export interface Row {
  id: string;
  optionType: "bank" | "card" | "international_bank" | "prepaid_card";
  currency: string;
  counterPartyName: string;
  counterPartyEmail: string;
  bankName: string | null;
  lastFour: string;
  nickName: string | null;
  externalId: string | null;
  entityId: string;
  createdAt: string;
  updatedAt: string;
}

export interface Query {
  accountType?: string;
  optionType?: string;
  email?: string;
  search?: string;
  last4?: string;
  bank?: string;
  externalId?: string;
  page?: number;
  limit?: number;
  sortBy?: keyof Row;
  sortDirection?: string;
}

/** The recipient's address in the bodies of bank accounts. */
export const ADDRESS = {
  recipientAddress: "1 Main St",
  recipientCity: "New York",
  recipientState: "NY",
  recipientPostalCode: "10001",
};

export function bankBody(data: Body = {}, fields: Body = {}): Body {
  return {
    optionType: "bank",
    ...fields,
    data: {
      firstName: "Ada",
      lastName: "Lovelace",
      email: "ada@example.com",
      bankName: "First Bank",
      accountNumber: String(randomInt(10 ** 11, 10 ** 12)),
      routingNumber: "021000021",
      accountType: "CHECKING",
      ...ADDRESS,
      ...data,
    },
  };
}

export function cardBody(optionType: string, data: Body = {}, fields: Body = {}): Body {
  return {
    optionType,
    ...fields,
    data: {
      name: "Ada Lovelace",
      email: "ada@example.com",
      encryptedCardNumber: `vault_${randomUUID()}`,
      lastFourDigits: "4242",
      cardBrand: "Visa",
      ...(optionType === "card" && { cardType: "debit" }),
      cardExpirationDate: "12/40",
      ...data,
    },
  };
}

/** Links a bank account or a card. @returns its id */
export async function link(
  world: World,
  business: TestBusiness,
  wallet: TestWallet,
  body: Body,
): Promise<string> {
  const path = `/v1/business/${business.id}/linked-accounts/${wallet.currency}`;
  const whole = { walletId: wallet.id, ...body };
  return dataOf(await world.http.post(path, whole, { token: business.token }), 201).id;
}

/** Links an international account through an application token. @returns the ids of both */
export async function linkInternational(
  world: World,
  business: TestBusiness,
  owner: TestUser,
  { label = "Main account", ...data }: Body = {},
): Promise<{ id: string; token: string }> {
  const token = await world.applicationToken(business, owner);
  const path = `/v1/ext/application-token/${token}/linked-accounts/USD/link/international_bank/1`;
  const body = { ...internationalBody(data), label };
  const { id } = dataOf(await world.http.post(path, body, { token: owner.token }), 200);
  return { id, token };
}

/** The query as a query string. */
export function queryText(query: Query): string {
  const given = Object.entries(query).map(([name, value]) => [name, String(value)]);
  return new URLSearchParams(given as [string, string][]).toString();
}

export const idsOf = ({ body }: Answer): string[] => body.data.map(({ id }: Row) => id);

/** The expected page of these rows, as ids, and its meta. */
export function modelled(rows: Row[], query: Query, pageSize: number) {
  const { page = 1, limit = pageSize, sortBy = "createdAt", sortDirection = "ASC" } = query;
  const sorted = rows.filter((row) => matches(row, query)).toSorted((a, b) => order(a, b, sortBy));
  if (sortDirection.toUpperCase() === "DESC") sorted.reverse();
  const total = sorted.length;
  return {
    ids: sorted.slice((page - 1) * limit, page * limit).map(({ id }) => id),
    meta: { page, pageSize: limit, pageCount: Math.ceil(total / limit), total },
  };
}

function matches(row: Row, query: Query): boolean {
  const { accountType, optionType, email, search, last4, bank, externalId } = query;
  return (
    (accountType === undefined || row.optionType === accountType) &&
    (optionType === undefined || row.optionType === optionType) &&
    holds(row.counterPartyEmail, email) &&
    holds(row.counterPartyName, search) &&
    holds(row.bankName, bank) &&
    (last4 === undefined || row.lastFour.endsWith(last4)) &&
    (externalId === undefined || row.externalId === externalId)
  );
}

/** An empty or blank filter matches everything, also a missing text. */
function holds(text: string | null, part = ""): boolean {
  const sought = part.trim().toLowerCase();
  return sought === "" || (text?.toLowerCase().includes(sought) ?? false);
}

/** A missing value comes first; ids break ties. */
function order(a: Row, b: Row, by: keyof Row): number {
  const [x, y] = [a[by] ?? "", b[by] ?? ""];
  if (x !== y) return x < y ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}

/** Names and banks with characters that are special in a pattern, and similar ones without them. */
export const NAMES = [
  "Ada Lovelace",
  "ADA BYRON",
  "Grace (Amazing) Hopper",
  "(a+)+$ .* Mueller",
  "José Ñandú",
  "\u0410da Lovelace",
  "\u05d0\u05d1 Ada",
  "50% & [more]^2",
];
const EMAILS = ["ada@example.com", "Ada.Byron+1@Mail.test", "grace@navy.test", "x_y@example.com"];
const BANKS = ["First Bank", "FIRST National", "Bank of Nowhere", "B.nk*"];
const NICK_NAMES = [null, "Rent", "rent", "Zoo", "a"];
const DIGITS = ["4242", "0042", "2222", "0001", "6789", "6780"];

/**
 * Accounts of all types, of several end users and of the business itself. Some external identifiers
 * are prefixes of others; some accounts have a changed nickname.
 */
export async function manyRows(
  world: World,
  business: TestBusiness,
  random: Random,
  count: number,
): Promise<Row[]> {
  const own: TestUser = { id: business.id, token: business.token, email: "" };
  const owners = [{ owner: own, externalId: null as string | null }];
  for (const externalId of ["customer-1", "customer-10", null]) {
    const fields = externalId === null ? {} : { externalIdentifier: externalId };
    owners.push({ owner: await world.user(business, fields), externalId });
  }
  const wallets = await Promise.all(owners.map(({ owner }) => world.wallet(business, owner)));
  const drawn = Array.from({ length: count }, () => {
    const at = random.below(owners.length);
    const { owner, externalId } = owners[at] as (typeof owners)[number];
    const row = drawRow(random);
    return { row: { ...row, externalId, entityId: owner.id }, owner, wallet: wallets[at] };
  });
  const made: Untimed[] = [];
  // Several are made at a time, so that some share a millisecond.
  for (let i = 0; i < drawn.length; i += 8) {
    const batch = drawn.slice(i, i + 8).map(async ({ row, owner, wallet }) => {
      return { ...row, id: await make(world, business, owner, wallet as TestWallet, row) };
    });
    made.push(...(await Promise.all(batch)));
  }
  for (const row of made.filter(() => random.below(4) === 0)) {
    row.nickName = random.oneOf(NICK_NAMES.slice(1));
    const path = `/v1/business/${business.id}/linked-accounts/USD/${row.id}`;
    const body = { nickName: row.nickName };
    dataOf(await world.http.patch(path, body, { token: business.token }), 200);
  }
  return withTimes(world, business, made);
}

type Untimed = Omit<Row, "createdAt" | "updatedAt">;
type Drawn = Omit<Untimed, "id" | "externalId" | "entityId">;

function drawRow(random: Random): Drawn {
  const optionType = random.oneOf(["bank", "card", "international_bank", "prepaid_card"] as const);
  const isBank = optionType === "bank" || optionType === "international_bank";
  return {
    optionType,
    currency: "USD",
    counterPartyName: random.oneOf(NAMES),
    counterPartyEmail: random.oneOf(EMAILS),
    bankName: isBank ? random.oneOf(BANKS) : null,
    lastFour: random.oneOf(DIGITS),
    // The nickname of an international account defaults to its label.
    nickName: random.oneOf(optionType === "international_bank" ? NICK_NAMES.slice(1) : NICK_NAMES),
  };
}

async function make(
  world: World,
  business: TestBusiness,
  owner: TestUser,
  wallet: TestWallet,
  row: Drawn,
): Promise<string> {
  const { optionType, counterPartyName: name, counterPartyEmail: email, lastFour } = row;
  const { bankName, nickName } = row;
  const accountNumber = `${randomInt(10 ** 7, 10 ** 8)}${lastFour}`;
  const fields = nickName === null ? {} : { nickName };
  if (optionType === "international_bank") {
    const ofFirm = { recipientType: "business", firstName: undefined, lastName: undefined };
    const data = { ...ofFirm, name, email, bankName, accountNumber, nickName };
    return (await linkInternational(world, business, owner, data)).id;
  }
  const body =
    optionType === "bank"
      ? bankBody({ name, email, bankName, accountNumber }, fields)
      : cardBody(optionType, { name, email, lastFourDigits: lastFour }, fields);
  return link(world, business, wallet, body);
}

/** The creation time of each account, as the unfiltered list shows it. */
async function withTimes(world: World, business: TestBusiness, rows: Untimed[]): Promise<Row[]> {
  const shown = new Map<string, Row>();
  for (let page = 1; page <= Math.ceil(rows.length / 100); page += 1) {
    const path = `/v1/business/${business.id}/linked-accounts/USD?limit=100&page=${page}`;
    const items: Row[] = dataOf(await world.http.get(path, { token: business.token }), 200);
    for (const item of items) shown.set(item.id, item);
  }
  return rows.map((row) => {
    const { createdAt, updatedAt } = shown.get(row.id) as Row;
    return { ...row, createdAt, updatedAt };
  });
}

/** A query with a random set of filters: some find several accounts, some one, some none. */
export function drawQuery(random: Random): Query {
  const maybe = <T>(value: T): T | undefined => (random.below(4) === 0 ? value : undefined);
  const part = (texts: string[]): string => {
    const text = random.oneOf(texts);
    const from = random.below(text.length);
    const cut = text.slice(from, from + 1 + random.below(6));
    return random.oneOf([cut, cut.toUpperCase(), cut.toLowerCase(), `${cut}x`]);
  };
  const type = random.oneOf(["bank", "card", "international_bank", "prepaid_card"]);
  const query: Query = {
    accountType: maybe(type),
    optionType: maybe(type),
    search: maybe(part(NAMES)),
    email: maybe(part(EMAILS)),
    bank: maybe(part(BANKS)),
    last4: maybe(random.oneOf(DIGITS).slice(random.below(4))),
    externalId: maybe(random.oneOf(["customer-1", "customer-10", "unknown"])),
    page: maybe(1 + random.below(4)),
    limit: maybe(1 + random.below(20)),
    sortBy: maybe(random.oneOf(SORTED_BY)),
    sortDirection: maybe(random.oneOf(["ASC", "DESC", "desc"])),
  };
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Query;
}
