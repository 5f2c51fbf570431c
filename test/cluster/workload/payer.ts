// A payer: funds its wallet, withdraws from it with and without a key, cancels, and reads its
// balance, its statement and its withdrawals. Half of the fundings are an operator's, who adjusts
// the balance too.

import { newId } from "../../../shared/ids.ts";
import type { Payer } from "./cast.ts";
import type { Client } from "./client.ts";
import type { Entry } from "./history.ts";

const ROUTES = ["ACH", "RTP", "WIRE"] as const;
const CARD_METHOD = "PUSH_TO_CARD";
const FUNDED_AT_MOST_MINOR = 20_000;

export async function fund(client: Client, payer: Payer, amountMinor: number): Promise<Entry> {
  const { business, walletId, admin } = payer;
  const op = newId();
  const isMerchants = client.random.chance(0.5);
  return client.decide({
    ...{ kind: "fund", op, about: { account: walletId, amountMinor, reference: op } },
    path: isMerchants
      ? `/v1/business/${business.id}/wallets/${walletId}/fund`
      : `/v1/admin/businesses/${business.id}/wallets/${walletId}/fundings`,
    token: isMerchants ? business.token : admin,
    body: { amount: amountMinor / 100, reference: op },
  });
}

/** @param amountMinor negative for a debit */
async function adjust(client: Client, payer: Payer, amountMinor: number): Promise<Entry> {
  const { business, walletId, admin } = payer;
  const op = newId();
  const direction = amountMinor < 0 ? "DEBIT" : "CREDIT";
  return client.decide({
    ...{ kind: "adjust", op, about: { account: walletId, amountMinor } },
    path: `/v1/admin/businesses/${business.id}/wallets/${walletId}/adjustments`,
    token: admin,
    body: { direction, amount: Math.abs(amountMinor) / 100, reference: op, note: "A mistake" },
  });
}

/** What a withdrawal needs beside its payer. */
export interface Terms {
  amountMinor: number;
  hasKey: boolean;
  /** The wallet that is debited if an application token names one. */
  from?: { walletId: string; applicationToken: string };
}

export async function withdraw(client: Client, payer: Payer, terms: Terms): Promise<Entry> {
  const { random } = client;
  const { amountMinor, hasKey, from } = terms;
  const { id, currency, kind } = random.pick(payer.accounts);
  const routingType = random.pick(ROUTES);
  const op = newId();
  const method = kind === "card" ? CARD_METHOD : routingType;
  const account = from?.walletId ?? payer.walletId;
  const body = { amount: amountMinor / 100, walletType: "SPEND", reason: op, routingType };
  const request = {
    ...{
      kind: "withdraw" as const,
      op,
      about: { account, amountMinor, method, payee: payer.entityId },
    },
    path: `/v1/ext/linked-accounts/${currency}/${id}/withdrawal`,
    ...{ token: payer.token, body, ...(hasKey && { key: op }) },
    ...(from && { headers: { "x-application-token": from.applicationToken } }),
  };
  if (!hasKey) return askAfter(client, payer, await client.ask(request));
  // Some clients press the button twice.
  const twice = random.chance(0.08) ? client.ask(request) : undefined;
  const decided = await client.decide(request);
  await twice;
  return decided;
}

/** A withdrawal of unknown outcome without a key is looked up by its id, if the answer has it. */
async function askAfter(client: Client, payer: Payer, entry: Entry): Promise<Entry> {
  const id = entry.body?.data?.id;
  if (entry.status !== 500 || !id) return entry;
  return readWithdrawal(client, payer, id);
}

export function readWithdrawal(client: Client, { token }: Payer, id: string): Promise<Entry> {
  const about = { transaction: id };
  return client.ask({
    kind: "transaction",
    op: id,
    about,
    token,
    path: `/v1/ext/withdrawals/${id}`,
  });
}

export function readTransaction(client: Client, { business }: Payer, id: string): Promise<Entry> {
  const about = { transaction: id };
  const { token } = business;
  return client.ask({ kind: "transaction", op: id, about, token, path: `/v1/transactions/${id}` });
}

export function cancel(client: Client, { business }: Payer, id: string): Promise<Entry> {
  const path = `/v1/transactions/${id}/cancel`;
  const about = { transaction: id };
  return client.ask({ kind: "cancel", op: id, about, path, token: business.token, body: {} });
}

export function readBalance(client: Client, { business, walletId }: Payer): Promise<Entry> {
  const path = `/v1/business/${business.id}/wallets/${walletId}`;
  const about = { account: walletId };
  return client.ask({ kind: "balance", op: walletId, about, path, token: business.token });
}

export function readStatement(client: Client, { business, walletId }: Payer): Promise<Entry> {
  const path = `/v1/business/${business.id}/wallets/${walletId}/entries?limit=20`;
  const about = { account: walletId };
  return client.ask({ kind: "statement", op: walletId, about, path, token: business.token });
}

/** A life of a payer until it is stopped. */
export async function livePayer(client: Client, payer: Payer, isOver: () => boolean) {
  const { random } = client;
  const accepted: string[] = [];
  let balanceMinor = FUNDED_AT_MOST_MINOR;
  await fund(client, payer, balanceMinor);
  while (!isOver()) {
    const drawn = random.between(0, 99);
    if (drawn < 8) await fund(client, payer, random.between(100, FUNDED_AT_MOST_MINOR));
    else if (drawn < 12) {
      await adjust(client, payer, random.between(1, 5_000) * random.pick([1, -1]));
    } else if (drawn < 62) {
      const amountMinor = random.between(1, Math.max(100, Math.round(balanceMinor * 0.8)));
      const entry = await withdraw(client, payer, { amountMinor, hasKey: drawn < 50 });
      if (entry.status === 200) accepted.push(entry.body.data.id);
    } else if (drawn < 70 && accepted.length > 0) {
      await cancel(client, payer, accepted.at(-1) as string);
    } else if (drawn < 80 && accepted.length > 0) {
      const read = random.chance(0.5) ? readWithdrawal : readTransaction;
      await read(client, payer, random.pick(accepted.slice(-5)));
    } else if (drawn < 84) await readStatement(client, payer);
    else {
      const { status, body } = await readBalance(client, payer);
      if (status === 200) balanceMinor = Math.round(Number(body.data.balance) * 100);
    }
  }
}
