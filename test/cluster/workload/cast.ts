// The cast of the workload, made before any fault: merchants with receivers, links and accounts,
// end users with wallets and linked accounts, and an operator for each merchant with payers.

import { randomUUID } from "node:crypto";
import { type Http, httpClient } from "../../support/http.ts";
import { served } from "../../support/system.ts";
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
  entityId: string;
  token: string;
  /** Of an operator, who funds and adjusts the wallet. */
  admin: string;
  walletId: string;
  accounts: (TestAccount & { kind: "bank" | "card" })[];
}

export interface Shop {
  business: TestBusiness;
  collectionId: string;
  /** The business's own wallet. */
  own: Payer;
  /** A user who may withdraw from the business's wallet by a token. */
  seller: Payer;
  /** The wallet of a user, out of which two transfers race. */
  race: Payer;
  links: { link: TestLink; amountMinor: number; customerPays: boolean }[];
}

/** Who stops and limits a business, its wallets and its users. */
export interface Operator {
  business: TestBusiness;
  token: string;
  wallets: string[];
  users: string[];
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
  operators: Record<string, Operator>;
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
  // A busy machine has elections while it starts.
  const patient: Http = { ...http, post: (...asked) => served(() => http.post(...asked)) };
  const { close, ...builders } = buildersOver({ config }, patient);
  try {
    return await assemble(builders, patient, receivers);
  } finally {
    close();
  }
}

async function assemble(builders: Builders, http: Http, receivers: Receivers): Promise<Cast> {
  const cast: Cast = {
    ...{ shops: {}, payers: {}, billers: {}, operators: {}, accounts: [], businesses: [] },
    crowd: undefined as never,
  };

  const admin = builders.tokens.admin(randomUUID());

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
    const [businessId, entityId] = [business.id, entity.id];
    cast.accounts.push({ id: wallet.id, kind: "wallet", businessId, entityId, owner });
    const accounts = [
      { ...bank, kind: "bank" as const },
      { ...card, kind: "card" as const },
    ];
    return { business, entityId, token: entity.token, admin, walletId: wallet.id, accounts };
  }

  async function openCollection(business: TestBusiness, owner: string): Promise<string> {
    const id = await builders.collectionAccount(business);
    const [businessId, entityId] = [business.id, business.id];
    cast.accounts.push({ id, kind: "collection", businessId, entityId, owner });
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
    const sold = await openPayer(business, seller, name);
    const race = await openPayer(business, await builders.user(business), name);
    const links = [await offer(25, false), await offer(100, true)];
    cast.shops[name] = { business, collectionId, own, seller: sold, race, links };
    const payers = [sold];
    for (let j = 0; j < PAYERS_PER_SHOP; j++) {
      const payer = `payer${i}${j}`;
      cast.payers[payer] = await openPayer(business, await builders.user(business), payer);
      payers.push(cast.payers[payer]);
    }
    if (i === 0) {
      cast.crowd = await openPayer(business, await builders.user(business), null);
      payers.push(cast.crowd);
    }
    cast.operators[`operator${i}`] = {
      business,
      token: admin,
      wallets: [own, ...payers].map(({ walletId }) => walletId),
      users: payers.map(({ entityId }) => entityId),
    };
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
