// Merchants with collection accounts, links and cards, made over HTTP as an operator does.

import { randomUUID } from "node:crypto";
import type { Pool } from "undici";
import type { Config } from "../../../shared/config/config.ts";
import { signToken } from "../../../shared/security/jwt.ts";
import { post } from "./system.ts";

/** Creates a business with a collection account. @returns the merchant's token */
export async function createMerchant(pool: Pool, config: Config): Promise<string> {
  const tokenOf = (role: "admin" | "merchant", sub: string) =>
    signToken(config, { role, sub, scope: "external.apis", expiresInS: 3_600 });
  const business = { name: "Bench", email: "bench@example.com" };
  const admin = tokenOf("admin", randomUUID());
  const { id } = await post<{ id: string }>(pool, "/v1/admin/businesses", admin, business);
  const token = tokenOf("merchant", id);
  await post(pool, `/v1/business/${id}/collection-accounts`, token, { currency: "USD" });
  return token;
}

/** Creates a payment link. */
export async function createLink(
  pool: Pool,
  merchant: string,
  link: object,
): Promise<{ id: string; token: string }> {
  const path = "/v1/ext/collections/payment-link";
  type Created = { application: { id: string; token: string } };
  return (await post<Created>(pool, path, merchant, link)).application;
}

/** Stores a card in the sandbox's vault. @returns its token */
export async function createCard(pool: Pool): Promise<string> {
  const card = { number: "4242424242424242", expMonth: 12, expYear: 2_099, cvc: "123" };
  return (await post<{ token: string }>(pool, "/v1/sandbox/card-tokens", "", card)).token;
}
