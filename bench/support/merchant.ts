// Creates merchants over HTTP, as an operator does.

import { randomUUID } from "node:crypto";
import type { Pool } from "undici";
import type { Config } from "../../shared/config.ts";
import { signToken } from "../../shared/jwt.ts";
import { post } from "../withdrawals.ts";

/** Posts a body. @returns `data` of the answer */
export function creating(pool: Pool) {
  return async <T>(path: string, token: string, body: object) =>
    (await post(pool, path, token, JSON.stringify(body))) as T;
}

/** Creates a business with a collection account. @returns the merchant's token */
export async function createMerchant(pool: Pool, config: Config): Promise<string> {
  const tokenOf = (role: "admin" | "merchant", sub: string) =>
    signToken(config, { role, sub, scope: "external.apis", expiresInS: 3_600 });
  const create = creating(pool);
  const business = { name: "Bench", email: "bench@example.com" };
  const admin = tokenOf("admin", randomUUID());
  const { id } = await create<{ id: string }>("/v1/admin/businesses", admin, business);
  const token = tokenOf("merchant", id);
  await create(`/v1/business/${id}/collection-accounts`, token, { currency: "USD" });
  return token;
}

/** Stores a card in the sandbox's vault. @returns its token */
export async function createCard(pool: Pool): Promise<string> {
  const card = { number: "4242424242424242", expMonth: 12, expYear: 2_099, cvc: "123" };
  const vault = "/v1/sandbox/card-tokens";
  const { token } = await creating(pool)<{ token: string }>(vault, "", card);
  return token;
}
