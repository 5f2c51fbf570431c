// End users of one business with funded wallets and linked accounts, made over HTTP, and their
// withdrawals.

import { randomUUID } from "node:crypto";
import type { Pool } from "undici";
import type { Config } from "../../../shared/config/config.ts";
import { signToken } from "../../../shared/security/jwt.ts";
import { pick } from "./rate.ts";
import { post } from "./system.ts";

export const USERS = 64;
/** Few, because a service that has just started is slow. */
const CREATED_AT_ONCE = 8;
/** The first balance of a wallet, in dollars. */
const FUNDS = 10_000_000;
/** In dollars. */
export const WITHDRAWN = 1;

export interface Users {
  /** A withdrawal of a random user. */
  withdraw(): Promise<void>;
  /** A withdrawal of always the same user. */
  withdrawHot(): Promise<void>;
  /** Posts to a path of the business. */
  make(path: string, body: object): Promise<{ id: string }>;
}

interface User {
  token: string;
  linkedAccountId: string;
}

/** Creates the business and its users. */
export async function createUsers({
  pool,
  config,
}: {
  pool: Pool;
  config: Config;
}): Promise<Users> {
  const tokenOf = (role: "admin" | "merchant" | "user", sub: string) =>
    signToken(config, { role, sub, scope: "external.apis", expiresInS: 3_600 });
  const business = { name: "Bench", email: "bench@example.com" };
  const admin = tokenOf("admin", randomUUID());
  const { id } = await post<{ id: string }>(pool, "/v1/admin/businesses", admin, business);
  const merchant = tokenOf("merchant", id);
  const make = (path: string, body: object) =>
    post<{ id: string }>(pool, `/v1/business/${id}${path}`, merchant, body);
  const createUser = async (): Promise<User> => {
    const { id: entityId } = await make("/entities", { email: "user@example.com" });
    const { id: walletId } = await make("/wallets", { entityId, currency: "USD" });
    await make(`/wallets/${walletId}/fund`, { amount: FUNDS, reference: "bench" });
    const account = { optionType: "bank", walletId, data: BANK_ACCOUNT };
    const { id: linkedAccountId } = await make("/linked-accounts/USD", account);
    return { token: tokenOf("user", entityId), linkedAccountId };
  };
  const users: User[] = [];
  for (let i = 0; i < USERS; i += CREATED_AT_ONCE) {
    users.push(...(await Promise.all(Array.from({ length: CREATED_AT_ONCE }, createUser))));
  }
  const body = { amount: WITHDRAWN, walletType: "SPEND", reason: "Bench" };
  const withdrawAs = async ({ token, linkedAccountId }: User) => {
    await post(pool, `/v1/ext/linked-accounts/USD/${linkedAccountId}/withdrawal`, token, body);
  };
  return {
    withdraw: () => withdrawAs(pick(users)),
    withdrawHot: () => withdrawAs(users[0] as User),
    make,
  };
}

const BANK_ACCOUNT = {
  firstName: "Ada",
  lastName: "Bench",
  email: "ada@example.com",
  bankName: "Bench Bank",
  accountNumber: "123456789",
  routingNumber: "021000021",
  accountType: "CHECKING",
  recipientAddress: "1 Main Street",
  recipientCity: "Albany",
  recipientState: "NY",
  recipientPostalCode: "12207",
};
