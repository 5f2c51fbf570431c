// Linked accounts: payout destinations, each tied to one wallet of the entity that owns it. In the
// clear are only what lists filter, sort and show by; all that was given is sealed beside it.

import { Schema } from "mongoose";
import { ENTITY_TYPES, type EntityType } from "../../shared/contracts/accounts.ts";
import { OPTION_TYPES, type OptionType } from "../../shared/contracts/linked-accounts.ts";
import type { Currency } from "../../shared/money.ts";
import type { Sealed } from "../../shared/seal.ts";

export interface LinkedAccount {
  _id: string;
  businessId: string;
  entityId: string;
  entityType: EntityType;
  walletId: string;
  currency: Currency;
  optionType: OptionType;
  label?: string;
  nickName?: string;
  counterPartyName: string;
  counterPartyEmail: string;
  counterPublicPartyEmail?: string;
  /** Of bank and international bank accounts. */
  bankName?: string;
  /** The last four characters of the account or card number: digits, but for some IBANs. */
  lastFour: string;
  /** Equal for the same account or card; keyed, so that it says nothing of the number. */
  fingerprint: string;
  /** The application token through which it was linked. */
  applicationTokenId?: string;
  /** `data` as it was given and normalised, JSON, sealed for `placeOf` this account. */
  sealed: Sealed;
  createdAt: Date;
  updatedAt: Date;
  /** Kept when unlinked, for the payouts that are on their way; shown nowhere. */
  unlinkedAt: Date | null;
}

export const linkedAccountSchema = new Schema<LinkedAccount>(
  {
    _id: { type: String, required: true },
    businessId: { type: String, required: true },
    entityId: { type: String, required: true },
    entityType: { type: String, enum: ENTITY_TYPES, required: true },
    walletId: { type: String, required: true },
    currency: { type: String, required: true },
    optionType: { type: String, enum: OPTION_TYPES, required: true },
    label: String,
    nickName: String,
    counterPartyName: { type: String, required: true },
    counterPartyEmail: { type: String, required: true },
    counterPublicPartyEmail: String,
    bankName: String,
    lastFour: { type: String, required: true },
    fingerprint: { type: String, required: true },
    applicationTokenId: String,
    sealed: {
      keyId: { type: String, required: true },
      box: { type: String, required: true },
    },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
    unlinkedAt: { type: Date, default: null },
  },
  { versionKey: false },
);
// The same account is linked once to a wallet; after an unlink it may be linked again.
linkedAccountSchema.index(
  { walletId: 1, fingerprint: 1 },
  { unique: true, partialFilterExpression: { unlinkedAt: null } },
);

/** What an account's sealed data are bound to. */
export function placeOf(linkedAccountId: string): string {
  return `linked-account:${linkedAccountId}`;
}
