// The cast of the workload, made before any fault: merchants with receivers, links and accounts,
// and end users with wallets and linked accounts.

import { randomUUID } from "node:crypto";
import { type Http, httpClient } from "../../support/http.ts";
import {
  type Builders,
  buildersOver,
  type TestAccount,
  type TestBusiness,
  type TestLink,
  type TestUser,
} from "../../support/world.ts";
import type { Payrail } from "../contract.ts";
import type { Receivers } from "../outside/receivers.ts";
import type { Account } from "./history.ts";

/** An end user, or a business, with a wallet and the accounts that it withdraws to. */
export interface Payer {
  business: TestBusiness;
  /** The user or business that withdraws. */
  token: string;
  walletId: string;
  accounts: (TestAccount & { kind: "bank" | "card" })[];
}

export interface Shop {
  business: TestBusiness;
  collectionId: string;
  /** The business's own wallet. */
  own: Payer;
  /** A user who may withdraw from the business's wallet by a token. */
  seller: Payer & { entityId: string };
  links: { link: TestLink; amountMinor: number; customerPays: boolean }[];
}

export interface Biller {
  business: TestBusiness;
  collectionId: string;
  link: TestLink;
}

export interface Cast {
  shops: Record<string, Shop>;
  payers: Record<string, Payer>;
  billers: Record<string, Biller>;
  /** A wallet that several clients use. */
  crowd: Payer;
  accounts: Account[];
  /** The receiver of each business's events. */
  businesses: (TestBusiness & { receiver: string })[];
}

const SHOPS = 2;
const PAYERS_PER_SHOP = 2;
const BILLERS = 2;

export async function arrangeCast({ gateways, config }: Payrail, receivers: Receivers) {
  const http = await httpClient(Number(new URL(gateways[0] as string).port));
  const { close, ...builders } = buildersOver({ config }, http);
  try {
    return await assemble(builders, http, receivers);
  } finally {
    close();
  }
}

async function assemble(builders: Builders, http: Http, receivers: Receivers): Promise<Cast> {
  const cast: Cast = {
    ...{ shops: {}, payers: {}, billers: {}, accounts: [], businesses: [] },
    crowd: undefined as never,
  };

  async function openBusiness(): Promise<TestBusiness> {
    const business = await builders.business();
    const { id, token } = business;
    const body = { url: receivers.url(id) };
    const { secret } = (await http.post(`/v1/business/${id}/webhooks`, body, { token })).body.data;
    receivers.trust(id, secret);
    cast.businesses.push({ ...business, receiver: id });
    return business;
  }

  async function openPayer(
    business: TestBusiness,
    entity: Pick<TestUser, "id" | "token">,
    owner: string | null,
  ): Promise<Payer> {
    const wallet = await builders.wallet(business, entity);
    const bank = await builders.bank(business, wallet);
    const card = await builders.card(business, wallet);
    cast.accounts.push({ id: wallet.id, kind: "wallet", businessId: business.id, owner });
    const accounts = [
      { ...bank, kind: "bank" as const },
      { ...card, kind: "card" as const },
    ];
    return { business, token: entity.token, walletId: wallet.id, accounts };
  }

  async function openCollection(business: TestBusiness, owner: string): Promise<string> {
    const id = await builders.collectionAccount(business);
    cast.accounts.push({ id, kind: "collection", businessId: business.id, owner });
    return id;
  }

  for (let i = 0; i < SHOPS; i++) {
    const name = `shop${i}`;
    const business = await openBusiness();
    const seller = await builders.user(business);
    const offer = async (amount: number, customerPays: boolean) => {
      const link = await builders.paymentLink(business, { amount, customerPays });
      return { link, amountMinor: amount * 100, customerPays };
    };
    const [collectionId, own] = [
      await openCollection(business, name),
      await openPayer(business, business, name),
    ];
    const sold = { ...(await openPayer(business, seller, name)), entityId: seller.id };
    const links = [await offer(25, false), await offer(100, true)];
    cast.shops[name] = { business, collectionId, own, seller: sold, links };
    for (let j = 0; j < PAYERS_PER_SHOP; j++) {
      const payer = `payer${i}${j}`;
      cast.payers[payer] = await openPayer(business, await builders.user(business), payer);
    }
    if (i === 0) cast.crowd = await openPayer(business, await builders.user(business), null);
  }
  for (let i = 0; i < BILLERS; i++) {
    const name = `biller${i}`;
    const business = await openBusiness();
    const collectionId = await openCollection(business, name);
    const link = await builders.recurringLink(business, { name: randomUUID() });
    cast.billers[name] = { business, collectionId, link };
  }
  return cast;
}
