// Linked accounts as the console holds them. The API answers account numbers, routing numbers and
// the tokens of cards in full; this list of allowed fields leaves them out as soon as they arrive.

import type { Item } from "../api.ts";
import { masked } from "../format.ts";

export type FullAccount = Item<"GET /v1/business/{businessId}/linked-accounts/{currency}">;

export interface MaskedAccount {
  id: string;
  currency: FullAccount["currency"];
  type: FullAccount["optionType"];
  holder: string;
  email: string;
  nickName: string | null;
  /** The bank, or the brand of the card. */
  institution: string;
  /** Such as `•••• 6789`; empty if payrail cannot read the account at present. */
  number: string;
  wallet: { id: string; balance: string; disabled: boolean };
  owner: { id: string; email: string; isBusiness: boolean; externalIdentifier: string | null };
  createdAt: string;
}

export function mask(full: FullAccount): MaskedAccount {
  const { id, currency, createdAt, nickName, account, wallet, entity } = full;
  const last4 = account?.lastFourDigits.slice(-4);
  return {
    id,
    currency,
    type: full.optionType,
    holder: full.counterPartyName,
    email: full.counterPartyEmail,
    nickName,
    institution: institutionOf(account),
    number: last4 ? masked(last4) : "",
    wallet: { id: wallet.id, balance: wallet.balance, disabled: wallet.disabled },
    owner: {
      id: entity.id,
      email: entity.email,
      isBusiness: entity.entityType === "BUSINESS",
      externalIdentifier: entity.externalIdentifier,
    },
    createdAt,
  };
}

function institutionOf(account: FullAccount["account"]): string {
  if (!account) return "";
  return "bankName" in account ? account.bankName : account.cardBrand;
}
