// The demo business: an end user with a funded wallet, a linked bank account and a card, so that a
// newcomer can withdraw immediately, and a collection account for payment links. It is made over
// HTTP, like a merchant's. Each step is recorded in DATA_DIR (demo.json), so that the next start
// continues an interrupted one and makes no second demo.

import { randomInt, randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ConfigOf } from "../../shared/config/config.ts";
import { signToken } from "../../shared/security/jwt.ts";
import { makeDirectory } from "./data-dir.ts";
import { pause, SetupError } from "./processes.ts";

const READY_WITHIN_MS = 30_000;
const REQUEST_TIMEOUT_MS = 15_000;
const TOKEN_LIFETIME_S = 24 * 3_600;
const FUNDS = 10_000;
const FILE = "demo.json";

export interface Demo {
  /** Of the gateway, at the last start. */
  address: string;
  /** The `sub` of the admin's token, so that timelines show one admin for all starts. */
  adminId: string;
  businessId: string;
  clientId: string;
  clientSecret: string;
  entityId: string;
  walletId: string;
  bankAccountId: string;
  cardId: string;
}

export interface DemoAccess extends Omit<Demo, "clientSecret"> {
  /** Null if the client's secret was rotated, or the client was disabled. */
  clientSecret: string | null;
  adminToken: string;
  merchantToken: string;
  userToken: string;
  balance: string;
}

/** Waits until the gateway reports that all services are ready. */
export async function untilReady(address: string): Promise<void> {
  const end = Date.now() + READY_WITHIN_MS;
  let last = "no answer";
  while (Date.now() < end) {
    try {
      const answer = await fetch(`${address}/health/ready`, {
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      });
      last = await answer.text();
      if (answer.ok && JSON.parse(last).away.length === 0) return;
    } catch (error) {
      last = (error as Error).message;
    }
    await pause(50);
  }
  throw new SetupError(`The services are not ready after ${READY_WITHIN_MS / 1000} s (${last})`);
}

/** The address of the payrail that was last started with this DATA_DIR; null if none was. */
export function findAddress({ dataDir }: Pick<ConfigOf<"demo">, "dataDir">): string | null {
  return readDemo(join(dataDir, FILE)).address ?? null;
}

/**
 * Makes the demo, or finds the one of an earlier start.
 * @param options `another`: makes another one, without a record
 */
export async function provideDemo(
  config: ConfigOf<"demo">,
  address: string,
  { another = false } = {},
): Promise<DemoAccess> {
  const file = join(config.dataDir, FILE);
  const token = (role: "admin" | "merchant" | "user", sub: string) =>
    signToken(config, { sub, role, scope: "external.apis", expiresInS: TOKEN_LIFETIME_S });

  let demo = another ? {} : readDemo(file);
  const known =
    demo.businessId && (await isKnown(address, token("merchant", demo.businessId), demo));
  if (!known) demo = {};
  const note = (made: Partial<Demo>) => {
    demo = { ...demo, ...made };
    if (another) return;
    makeDirectory(config.dataDir);
    writeFileSync(file, JSON.stringify(demo, null, 2), { mode: 0o600 });
  };

  note({ address });
  if (!demo.adminId) note({ adminId: randomUUID() });
  const adminToken = token("admin", demo.adminId as string);
  if (!demo.businessId) {
    const business = { name: "Demo business", email: "demo@example.com" };
    const made = await request(address, adminToken, "POST", "/v1/admin/businesses", business);
    const { id, clientId, clientSecret } = made as Record<string, string>;
    note({ businessId: id, clientId, clientSecret });
  }
  const merchantToken = token("merchant", demo.businessId as string);
  const root = `/v1/business/${demo.businessId}`;
  const make = (path: string, body: object) => create(address, merchantToken, root + path, body);

  // Also for a demo of an earlier release, which has no record of the business's first client.
  if (!demo.clientId) {
    const client = { name: "Demo" };
    const made = await request(address, merchantToken, "POST", `${root}/api-clients`, client);
    const { id: clientId, clientSecret } = made as Record<string, string>;
    note({ clientId, clientSecret });
  }

  if (!demo.entityId) {
    note({ entityId: await make("/entities", { email: "ada@example.com" }) });
  }
  if (!demo.walletId) {
    const { entityId } = demo;
    note({ walletId: await make("/wallets", { entityId, currency: "USD" }) });
  }
  const { walletId } = demo as Demo;
  // A repeated reference has the same result, so the wallet is funded once.
  await make(`/wallets/${walletId}/fund`, { amount: FUNDS, reference: "demo" });
  if (!demo.bankAccountId) {
    note({ bankAccountId: await make("/linked-accounts/USD", bankAccount(walletId)) });
  }
  if (!demo.cardId) note({ cardId: await make("/linked-accounts/USD", card(walletId)) });
  // Opening it again returns the same account.
  await make("/collection-accounts", { currency: "USD" });

  const made = demo as Demo;
  const userToken = token("user", made.entityId);
  const wallet = await request(address, merchantToken, "GET", `${root}/wallets/${walletId}`);
  const clientSecret = (await isAccepted(address, made)) ? made.clientSecret : null;
  const balance = String(wallet.balance);
  return { ...made, clientSecret, adminToken, merchantToken, userToken, balance };
}

/** Whether the client gets a token with its secret. */
async function isAccepted(address: string, client: Demo): Promise<boolean> {
  const answer = await fetch(`${address}/v1/oauth/token`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "client_credentials",
      client_id: client.clientId,
      client_secret: client.clientSecret,
    }),
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  await answer.arrayBuffer();
  return answer.ok;
}

function readDemo(path: string): Partial<Demo> {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Partial<Demo>;
  } catch {
    return {};
  }
}

/**
 * Whether the demo is in this database, because DATA_DIR may be older than the database of
 * MONGO_URL.
 */
async function isKnown(address: string, token: string, demo: Partial<Demo>): Promise<boolean> {
  const path = `/v1/business/${demo.businessId}/entities`;
  const answer = await fetch(`${address}${path}`, {
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  if (!answer.ok) return false;
  const { data } = (await answer.json()) as { data: { id: string }[] };
  return !demo.entityId || data.some(({ id }) => id === demo.entityId);
}

async function create(address: string, token: string, path: string, body: object): Promise<string> {
  return String((await request(address, token, "POST", path, body)).id);
}

async function request(
  address: string,
  token: string,
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const answer = await fetch(`${address}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      prefer: "handling=strict",
    },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status} ${text}`);
  return (JSON.parse(text) as { data: Record<string, unknown> }).data;
}

function bankAccount(walletId: string) {
  // Each attempt uses another number, because a start may end after linking and before the record
  // of it.
  const accountNumber = `10${randomInt(1_000_000, 9_999_999)}6789`;
  return {
    optionType: "bank",
    walletId,
    label: "Demo checking account",
    data: {
      firstName: "Ada",
      lastName: "Lovelace",
      email: "ada@example.com",
      bankName: "Example Bank",
      accountNumber,
      routingNumber: "021000021",
      accountType: "CHECKING",
      recipientAddress: "1 Main Street",
      recipientCity: "New York",
      recipientState: "NY",
      recipientPostalCode: "10001",
    },
  };
}

function card(walletId: string) {
  return {
    optionType: "card",
    walletId,
    label: "Demo card",
    data: {
      name: "Ada Lovelace",
      email: "ada@example.com",
      encryptedCardNumber: `vault_${randomUUID()}`,
      lastFourDigits: "4242",
      cardBrand: "visa",
      cardType: "debit",
      cardExpirationDate: `12/${new Date().getUTCFullYear() + 5}`,
    },
  };
}
