// Application tokens: a spent token stays spent by the payout that spent it, and the token allowed
// that payout. A payout is stored before it claims its token, and the claim is stored before the
// payout goes on; a token is given back before its payout is declined. So tokens are read after the
// payouts that spent them, and payouts after the tokens that name them.

import { type Books, readAll, readOlder, select } from "../books.ts";
import { describe, readDocuments } from "../kinds/kind.ts";
import { KINDS } from "../kinds/kinds.ts";
import type { Payout } from "../kinds/payouts.ts";

interface Token {
  _id: string;
  hash: string;
  tokenType: string;
  businessId: string;
  entityId: string;
  currency: string;
  amountMinor: number | null;
  merchantWalletId: string | null;
  claimedFor: string | null;
}

const COLLECTION = "application_tokens";

/** Checks that payouts hold the tokens that they spent, and that the tokens allow these payouts. */
export async function verifySpending(books: Books, batch: Payout[]): Promise<void> {
  const spenders = batch.filter(({ tokenHash }) => tokenHash !== undefined);
  if (spenders.length === 0) return;
  const wanted = { hash: { $in: spenders.map(({ tokenHash }) => tokenHash as string) } };
  const found = await books.find<Token>(COLLECTION, wanted).toArray();
  const tokens = new Map(found.map((token) => [token.hash, token]));
  const accountIds = spenders.map(({ linkedAccountId }) => linkedAccountId);
  const accounts = await readAll<Account>(books, "linked_accounts", accountIds, { walletId: 1 });
  for (const payout of spenders) {
    const token = tokens.get(payout.tokenHash as string);
    const problem = token
      ? (claimProblem(payout, token) ?? termsProblem(payout, token, accounts))
      : absenceProblem(payout);
    if (!problem) continue;
    const name = describe(KINDS.payouts, payout);
    books.findings.violation("tokens", `${name} ${problem}`);
  }
}

interface Account {
  _id: string;
  walletId: string;
}

/** A payout with an unknown token is refused. */
function absenceProblem({ step }: Payout): string | null {
  const isRefused = ["claim", "declined"].includes(step);
  return isRefused ? null : "has spent an application token that is not there";
}

function claimProblem({ _id, visible, step }: Payout, { _id: id, claimedFor }: Token) {
  if (step === "declined" && claimedFor === _id) {
    return `was declined, and the application token ${id} is spent by it`;
  }
  // At the step debit it may be declined next, and its token is released before.
  if (!visible || step === "debit" || claimedFor === _id) return null;
  const by = claimedFor === null ? "can be spent again" : `is spent by ${claimedFor}`;
  return `has spent the application token ${id}, which ${by}`;
}

/** A token pays its own amount, from its own wallet, for its entity. */
function termsProblem(payout: Payout, token: Token, accounts: Map<string, Account>) {
  if (!payout.visible) return null;
  const walletId = token.merchantWalletId ?? accounts.get(payout.linkedAccountId)?.walletId;
  const differences = (
    [
      ["kind", "PAYOUT", token.tokenType],
      ["business", payout.businessId, token.businessId],
      ["entity", payout.entityId, token.entityId],
      ["currency", payout.currency, token.currency],
      ["amount", payout.amountMinor, token.amountMinor ?? payout.amountMinor],
      ["wallet", payout.walletId, walletId],
    ] as const
  ).filter(([, actual, expected]) => actual !== expected);
  const parts = differences.map(
    ([field, actual, expected]) => `the ${field} ${expected}, not ${actual}`,
  );
  return parts.length > 0
    ? `was paid by the application token ${token._id}, which is for ${parts.join(", ")}`
    : null;
}

/** Checks that the payouts that spent tokens exist. */
export async function verifyTokens(books: Books): Promise<void> {
  const isSpent = { claimedFor: { $ne: null } };
  const fields = select("hash", "claimedFor");
  for await (const batch of readOlder<Token>(books, COLLECTION, fields, isSpent)) {
    const ids = batch.map(({ claimedFor }) => claimedFor as string);
    const payouts = await readDocuments(books, KINDS.payouts, ids);
    books.findings.count("tokens", batch.length);
    for (const { _id, hash, claimedFor } of batch) {
      if (payouts.get(claimedFor as string)?.tokenHash === hash) continue;
      const problem = `is spent by ${String(claimedFor)}, which is no payout with it`;
      books.findings.violation("tokens", `application token ${_id} ${problem}`);
    }
  }
}
