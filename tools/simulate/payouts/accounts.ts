// A model of accounts as payouts sees it: destinations, and application tokens that are spent once.

import { createHash } from "node:crypto";
import type {
  DestinationRequest,
  PayoutDestination,
  Services,
} from "../../../services/payouts/deps.ts";
import type { PayoutMethod } from "../../../shared/config/payout-methods.ts";
import type { Books } from "./books.ts";
import { catchRefusal, type Serve } from "./network.ts";
import type { Plan } from "./plan.ts";

type Claim = Parameters<Services["claimToken"]>[0];
type Release = Parameters<Services["releaseToken"]>[0];

interface Token {
  entityId: string;
  walletId: string | null;
  claimedFor: string | null;
  releasedFor: Set<string>;
}

export const BUSINESS = "b";
export const MERCHANTS_WALLET = "w-merchant";
export const tokenName = (token: number): string => `token-${token}`;
export const newWallet = (entity: number): string => `w-${entity}`;
export const entityName = (entity: number): string => `e-${entity}`;

/** The linked account of an entity by which a method pays. */
export const accountName = (entity: number, method: PayoutMethod): string => `${entity}/${method}`;

type Payees = Awaited<ReturnType<Services["findPayees"]>>;

export interface AccountsModel {
  find(requests: DestinationRequest[]): Serve<(PayoutDestination | null)[]>;
  payees(linkedAccountIds: string[]): Serve<Payees>;
  claim(claim: Claim): Serve<{ walletId: string | null }>;
  release(release: Release): Serve<unknown>;
}

export function createAccounts(
  { tokens: planned }: Plan,
  books: () => Books,
  guarded: (work: () => void) => void,
): AccountsModel {
  const tokens = new Map<string, Token>(
    planned.map(({ entity, isMerchants }, i) => [
      createHash("sha256").update(tokenName(i)).digest("base64url"),
      {
        entityId: entityName(entity),
        walletId: isMerchants ? MERCHANTS_WALLET : null,
        claimedFor: null,
        releasedFor: new Set(),
      },
    ]),
  );
  return {
    find: (requests) => (reply) => reply(requests.map(findDestination)),

    payees: (linkedAccountIds) => (reply) => reply(linkedAccountIds.map(() => PAYEE)),

    claim:
      ({ tokenHash, payoutId }) =>
      (reply, refuse) => {
        const token = tokens.get(tokenHash);
        const isFree = token?.claimedFor === null || token?.claimedFor === payoutId;
        if (!token || !isFree || token.releasedFor.has(payoutId)) {
          refuse(catchRefusal("APPLICATION_TOKEN_INVALID"));
          return;
        }
        token.claimedFor = payoutId;
        reply({ walletId: token.walletId });
      },

    release:
      ({ tokenHash, payoutId }) =>
      (reply) => {
        const token = tokens.get(tokenHash) as Token;
        guarded(() => books().onNothing(payoutId, "its token was given back"));
        token.releasedFor.add(payoutId);
        if (token.claimedFor === payoutId) token.claimedFor = null;
        reply({});
      },
  };
}

const PAYEE = { name: "Ada", email: "ada@example.com", bankName: "Bank", country: "US" };

function findDestination({ linkedAccountId, currency }: DestinationRequest): PayoutDestination {
  const [entity = "", method] = linkedAccountId.split("/");
  return {
    linkedAccountId,
    businessId: BUSINESS,
    entityId: entityName(Number(entity)),
    entityType: "USER",
    walletId: `w-${entity}`,
    currency,
    optionType: method === "PUSH_TO_CARD" ? "card" : "bank",
    lastFour: "1234",
  };
}
