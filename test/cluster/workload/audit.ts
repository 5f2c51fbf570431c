// The audit: reads at the end, over HTTP, all that payrail tells of the workload's businesses.

import type { TestBusiness } from "../../support/world.ts";
import type { Cast } from "./cast.ts";
import type { Client } from "./client.ts";
import type { Entry } from "./history.ts";
import { readLimits } from "./operator.ts";

type Item = Record<string, unknown> & { id: string };

/** The documents of the public interface, by kind; each has its business. */
export interface Told {
  transactions: Item[];
  payments: Item[];
  /** Refunds, with the id of their payment. */
  refunds: Item[];
  subscriptions: Item[];
  invoices: Item[];
  /** What is used of the limits of each business with an operator: the amount and the number. */
  used: Record<string, [amount: string, count: number]>;
  /** The balance of each account, as a decimal string. */
  balances: Record<string, string>;
  /** The whole statement of each account, newest first. */
  statements: Record<string, Item[]>;
}

const LIMIT = 100;

const wasRead = ({ status }: Entry) => status === 200;

export async function audit(
  client: Client,
  { businesses, accounts, operators }: Cast,
): Promise<Told> {
  const told: Told = {
    ...{ transactions: [], payments: [], refunds: [], subscriptions: [], invoices: [] },
    ...{ used: {}, balances: {}, statements: {} },
  };

  /** All pages of a list, by cursor or by number. */
  async function list({ token }: TestBusiness, path: string): Promise<Item[]> {
    const items: Item[] = [];
    for (let query = "page=1"; ; ) {
      const whole = `${path}?limit=${LIMIT}&${query}`;
      const request = { kind: "list" as const, op: path, about: {}, path: whole, token };
      const { body } = await client.decide(request, wasRead);
      items.push(...body.data);
      const { nextCursor, page, pageCount } = body.meta;
      if (nextCursor) query = `cursor=${nextCursor}`;
      else if (page < pageCount) query = `page=${page + 1}`;
      else return items;
    }
  }

  for (const business of businesses) {
    const at = `/v1/business/${business.id}`;
    told.transactions.push(...(await list(business, `${at}/transactions`)));
    const payments = await list(business, `${at}/payments`);
    told.payments.push(...payments);
    for (const { id } of payments.filter(({ subscriptionId }) => subscriptionId === null)) {
      told.refunds.push(...(await list(business, `${at}/payments/${id}/refunds`)));
    }
    const subscriptions = await list(business, `${at}/subscriptions`);
    told.subscriptions.push(...subscriptions);
    for (const { id } of subscriptions) {
      told.invoices.push(...(await list(business, `${at}/subscriptions/${id}/invoices`)));
    }
    for (const { id, kind } of accounts.filter(({ businessId }) => businessId === business.id)) {
      const plural = kind === "wallet" ? "wallets" : "collection-accounts";
      told.statements[id] = await list(business, `${at}/${plural}/${id}/entries`);
      const found = (await list(business, `${at}/${plural}`)).find((each) => each.id === id);
      told.balances[id] = String(found?.balance);
    }
  }
  for (const operator of Object.values(operators)) {
    const { body } = await readLimits(client, operator);
    const used = body.data.map((each: { used: unknown }) => each.used);
    told.used[operator.business.id] = used;
  }
  return told;
}
