// A shop: its customers pay at its links, some of them at once at a link that is paid once. It
// refunds, transfers collected money to its wallet, moves money between its wallet and a seller's,
// and withdraws from there, also by a token that it gives to the seller. At times two transfers race
// for the money of a wallet that has enough for one.

import { newId } from "../../../shared/ids.ts";
import { linkBody, paymentBody } from "../../support/world.ts";
import { cardToken } from "../outside/acquirer.ts";
import type { Payer, Shop } from "./cast.ts";
import type { Client } from "./client.ts";
import type { Entry } from "./history.ts";
import { fund, readBalance, readStatement, withdraw } from "./payer.ts";

interface Offer {
  link: { id: string; token: string };
  amountMinor: number;
  customerPays: boolean;
  /** The link is paid once. */
  isOnce?: boolean;
}

/** An address of the payment's own, because payrail bounds the declines of an address. */
function addressOf(op: string): string {
  const bytes = op.slice(-6).match(/../g) ?? [];
  return ["10", ...bytes.map((byte) => Number.parseInt(byte, 16))].join(".");
}

/** A customer pays with a card of its own. */
async function pay(client: Client, shop: Shop, offer: Offer): Promise<Entry> {
  const { link, amountMinor } = offer;
  const op = newId();
  const card = cardToken(op, client.random.chance(0.12) ? "poor" : "good");
  const customerPays = Number(offer.customerPays);
  const account = shop.collectionId;
  const isOnce = Number(offer.isOnce ?? false);
  const paid = await client.decide({
    ...{ kind: "pay", op },
    about: { account, link: link.id, card, amountMinor, customerPays, isOnce },
    path: `/v1/checkout/${link.token}/payments`,
    ...{ key: op, body: paymentBody(card), headers: { "x-forwarded-for": addressOf(op) } },
  });
  if (paid.body?.data?.status !== "PENDING") return paid;
  const { id } = paid.body.data;
  const request = { kind: "payment" as const, op, about: { payment: id } };
  const hasEnded = ({ status, body }: Entry) => status === 200 && body.data.status !== "PENDING";
  return client.decide({ ...request, path: `/v1/checkout/${link.token}/payments/${id}` }, hasEnded);
}

/** Two customers pay at the same time at a link that is paid once. */
async function payOnce(client: Client, shop: Shop): Promise<Entry[]> {
  const op = newId();
  const amountMinor = client.random.between(500, 5_000);
  const terms = { amount: amountMinor / 100, customerPays: false, isOpenLink: false };
  const { status, body } = await client.decide({
    ...{ kind: "link", op, about: {}, path: "/v1/ext/collections/payment-link" },
    ...{ token: shop.business.token, key: op, body: linkBody(terms) },
  });
  if (status !== 200) return [];
  const link = { id: body.data.application.id, token: body.data.application.token };
  const offer = { link, amountMinor, customerPays: false, isOnce: true };
  return Promise.all([pay(client, shop, offer), pay(client, shop, offer)]);
}

async function refund(client: Client, { business, collectionId }: Shop, payment: string) {
  const op = newId();
  const amountMinor = client.random.between(1, 1_200);
  const isWhole = client.random.chance(0.2);
  await client.decide({
    ...{ kind: "refund", op },
    about: { account: collectionId, payment, ...(!isWhole && { amountMinor }) },
    path: `/v1/business/${business.id}/payments/${payment}/refunds`,
    token: business.token,
    body: { reference: op, ...(!isWhole && { amount: amountMinor / 100 }) },
  });
}

async function transfer(client: Client, { business, collectionId, own }: Shop) {
  const op = newId();
  const amountMinor = client.random.between(1, 4_000);
  await client.decide({
    ...{ kind: "transfer", op, about: { account: collectionId, to: own.walletId, amountMinor } },
    path: `/v1/business/${business.id}/collection-accounts/${collectionId}/transfers`,
    token: business.token,
    body: { reference: op, walletId: own.walletId, amount: amountMinor / 100 },
  });
}

/** @param race the name of the race that the transfer takes part in */
function move(client: Client, from: Payer, to: Payer, amountMinor: number, race = "") {
  const op = newId();
  const { business, walletId: account } = from;
  const wallets = { fromWalletId: account, toWalletId: to.walletId };
  return client.decide({
    ...{ kind: "move", op, about: { account, to: to.walletId, amountMinor, race } },
    path: `/v1/business/${business.id}/transfers`,
    token: business.token,
    body: { ...wallets, reference: op, amount: amountMinor / 100 },
  });
}

const RACED_MINOR = { has: 10_000, each: 6_000 };

/**
 * Two transfers of 60.00 from 100.00 at once.
 * @param hasMinor the balance of the wallet
 * @returns the balance after it, or nothing if it is not known
 */
async function raceTwo(client: Client, { race, own }: Shop, hasMinor: number) {
  const funded = await fund(client, race, RACED_MINOR.has - hasMinor);
  if (funded.status !== 201) return undefined;
  const name = newId();
  const one = () => move(client, race, own, RACED_MINOR.each, name);
  await Promise.all([one(), one()]);
  return client.isAbandoned() ? undefined : RACED_MINOR.has - RACED_MINOR.each;
}

/** The seller withdraws from the shop's wallet by a token, at times twice with it. */
async function withdrawByToken(client: Client, { business, own, seller }: Shop) {
  const op = newId();
  const amountMinor = client.random.between(1, 1_500);
  const { status, body } = await client.decide({
    ...{ kind: "token", op, about: {}, path: `/v1/business/${business.id}/application-tokens` },
    ...{ token: business.token, key: op },
    body: {
      ...{ tokenType: "PAYOUT", entityId: seller.entityId, currency: "USD" },
      ...{ withdrawalSource: "MERCHANT_WALLET", walletId: own.walletId },
      amount: amountMinor / 100,
    },
  });
  if (status !== 201) return;
  const from = { walletId: own.walletId, applicationToken: body.data.token as string };
  await withdraw(client, seller, { amountMinor, hasKey: true, from });
  if (client.random.chance(0.3)) {
    await withdraw(client, seller, { amountMinor, hasKey: true, from });
  }
}

function readCollected(client: Client, { business, collectionId }: Shop): Promise<Entry> {
  const path = `/v1/business/${business.id}/collection-accounts`;
  const about = { account: collectionId };
  return client.ask({ kind: "balance", op: collectionId, about, path, token: business.token });
}

/** A life of a shop until it is stopped. */
export async function liveShop(client: Client, shop: Shop, isOver: () => boolean) {
  const { random } = client;
  const payments: string[] = [];
  let raceMinor: number | undefined = 0;
  const keep = ({ body }: Entry) => {
    if (body?.data?.status === "SUCCEEDED") payments.push(body.data.id);
  };
  await fund(client, shop.own, 5_000);
  while (!isOver()) {
    const drawn = random.between(0, 99);
    if (drawn < 22) keep(await pay(client, shop, random.pick(shop.links)));
    else if (drawn < 31) {
      const [from, to] = random.chance(0.5) ? [shop.own, shop.seller] : [shop.seller, shop.own];
      await move(client, from, to, random.between(1, 2_000));
    } else if (drawn < 36 && raceMinor !== undefined) {
      raceMinor = await raceTwo(client, shop, raceMinor);
    } else if (drawn < 43) for (const paid of await payOnce(client, shop)) keep(paid);
    else if (drawn < 55 && payments.length > 0) {
      await refund(client, shop, random.pick(payments.slice(-6)));
    } else if (drawn < 67) await transfer(client, shop);
    else if (drawn < 75) {
      const amountMinor = random.between(1, 3_000);
      await withdraw(client, shop.own, { amountMinor, hasKey: true });
    } else if (drawn < 82) await withdrawByToken(client, shop);
    else if (drawn < 90) await readCollected(client, shop);
    else if (drawn < 97) await readBalance(client, shop.own);
    else await readStatement(client, shop.own);
  }
}
