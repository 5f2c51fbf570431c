// Heads of the ledger: checks that payrail signed one, and that the balances in a business's own
// books are those of the head.

import { createHash, createPublicKey, verify } from "node:crypto";
import { LedgerHeadError } from "./errors.ts";
import type { LedgerHead } from "./resources/ledger.ts";

export type LedgerHeadClaims = LedgerHead["claims"];

/** A JWKS, such as that of `/.well-known/ledger-keys.json`. Keep it with the heads. */
export interface LedgerKeys {
  keys: readonly { kid: string; kty: string }[];
}

/** The balance of an account in your books at a head, with two decimals. */
export interface OwnBalance {
  id: string;
  currency: string;
  balance: string;
}

const TYPE = "payrail-head+jwt";

/**
 * Checks that one of the keys signed a head and, with balances, that they are the head's. It needs
 * no connection to payrail.
 * @param balances of all your wallets and collection accounts at the head (`balanceAt`); those of
 *   0.00 may be left out
 * @returns what the head says
 * @throws LedgerHeadError
 */
export function verifyLedgerHead(
  head: string,
  { keys }: LedgerKeys,
  balances?: readonly OwnBalance[],
): LedgerHeadClaims {
  const [header = "", payload = "", signature = ""] = head.split(".");
  const { typ, kid } = parse<{ typ?: string; kid?: string }>(header);
  if (typ !== TYPE) throw new LedgerHeadError("invalid_head", "The text is no head of the ledger");
  const key = keys.find((each) => each.kid === kid);
  if (!key) throw new LedgerHeadError("unknown_key", `The key ${kid} of the head is not given`);
  const isSigned = verify(
    "sha256",
    Buffer.from(`${header}.${payload}`),
    { key: createPublicKey({ key, format: "jwk" }), dsaEncoding: "ieee-p1363" },
    Buffer.from(signature, "base64url"),
  );
  if (!isSigned) {
    throw new LedgerHeadError("wrong_signature", "The head was changed, or is not payrail's");
  }
  const claims = parse<LedgerHeadClaims>(payload);
  if (balances && claims.digest !== ledgerDigest(balances)) {
    throw new LedgerHeadError("other_balances", "The head has other balances than these");
  }
  return claims;
}

/** The digest of balances, as a head has it. */
export function ledgerDigest(balances: readonly OwnBalance[]): string {
  const lines = balances
    .filter(({ balance }) => Number(balance) !== 0)
    .map(({ id, currency, balance }) => `${id} ${currency} ${balance}\n`)
    .sort();
  return createHash("sha256").update(lines.join("")).digest("base64url");
}

/** Whether the ledger had an entry of a statement when it made the head. */
export function includesEntry(
  { journal }: Pick<LedgerHeadClaims, "journal">,
  { block }: { block?: string },
): boolean {
  const [partition, number] = (block ?? "").split(".").map(Number);
  return Number(number) <= (journal[Number(partition)]?.n ?? 0);
}

/**
 * The balance of an account at a head, by its statement.
 * @param entries of the account, newest first
 */
export function balanceAt(
  claims: Pick<LedgerHeadClaims, "journal">,
  entries: readonly { block?: string; balance: string }[],
): string {
  return entries.find((entry) => includesEntry(claims, entry))?.balance ?? "0.00";
}

function parse<T>(part: string): T {
  try {
    return JSON.parse(Buffer.from(part, "base64url").toString()) as T;
  } catch {
    throw new LedgerHeadError("invalid_head", "The text is no head of the ledger");
  }
}
