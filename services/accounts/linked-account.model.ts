// Linked accounts: payout destinations, each tied to one wallet of the entity that owns it. Only
// the fields that lists filter by, sort by and show are in clear text; the given data is sealed
// beside them.

import { Schema } from "mongoose";
import { ENTITY_TYPES, type EntityType } from "../../shared/contracts/accounts.ts";
import { OPTION_TYPES, type OptionType } from "../../shared/contracts/linked-accounts.ts";
import { IN_ANY_CASE } from "../../shared/email.ts";
import type { Currency } from "../../shared/money.ts";
import type { Sealed } from "../../shared/security/seal.ts";
import { whereSet } from "../../shared/storage/indexes.ts";

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
  /** Only bank and international bank accounts have one. */
  bankName?: string;
  /** The last four characters of the account or card number: digits, except for some IBANs. */
  lastFour: string;
  /** Equal for the same account or card; keyed, so that it does not reveal the number. */
  fingerprint: string;
  applicationTokenId?: string;
  /** `data` after normalisation, as JSON, sealed for `sealedPlace` this account. */
  sealed: Sealed;
  createdAt: Date;
  updatedAt: Date;
  /**
   * The time of the unlink. An unlinked account is kept for payouts under way; no view shows it.
   */
  unlinkedAt: Date | null;
  /** The erasure (entity.model.ts) that marked the account; no payout to it begins meanwhile. */
  erasing?: string;
  /** The time of the erasure; an erased account has no personal data and gets no payout. */
  erasedAt?: Date;
  // The fields by which its lists find it (lists/find-linked.ts), and lists of transactions
  // (lists/find-parties.ts); an erased account has none.
  /** The list that contains it: that of its business in its currency, or of unlinked accounts. */
  list?: string;
  keys?: string[];
  /** The texts in the form that searches compare. */
  folded?: { name: string; email: string; bank?: string };
}

/** A part of a list's count (lists/counts.ts); `_id` is `<list>:<part>`. */
export interface ListCount {
  _id: string;
  accounts: number;
  ofUsers: number;
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
    erasing: String,
    erasedAt: Date,
    list: String,
    keys: { type: [String], default: undefined },
    folded: {
      type: new Schema(
        {
          name: { type: String, required: true },
          email: { type: String, required: true },
          bank: String,
        },
        { _id: false },
      ),
      default: undefined,
    },
  },
  { versionKey: false },
);
/** All accounts of an entity, also the unlinked ones: its export, its erasure, and searches. */
export const OF_ENTITY = { entityId: 1, _id: -1 } as const;
linkedAccountSchema.index(OF_ENTITY);
/** The accounts with an email, also the unlinked ones, for operators. */
linkedAccountSchema.index({ counterPartyEmail: 1, _id: -1 }, IN_ANY_CASE);
// An account can be linked to a wallet only once; after an unlink it can be linked again.
linkedAccountSchema.index(
  { walletId: 1, fingerprint: 1 },
  { unique: true, partialFilterExpression: { unlinkedAt: null } },
);

/**
 * The indexes of the lists, by their purpose: one for each sort field (the order of `_id` is that
 * of createdAt), one for each filter, and `keys` for all searched texts.
 */
export const INDEXES = {
  createdAt: { list: 1, _id: 1 },
  updatedAt: { list: 1, updatedAt: 1, _id: 1 },
  counterPartyName: { list: 1, counterPartyName: 1, _id: 1 },
  counterPartyEmail: { list: 1, counterPartyEmail: 1, _id: 1 },
  nickName: { list: 1, nickName: 1, _id: 1 },
  // Covers a count for one type of owner.
  optionType: { list: 1, optionType: 1, _id: 1, entityType: 1 },
  entityType: { list: 1, entityType: 1, _id: 1 },
  entityId: { list: 1, entityId: 1, _id: 1 },
  keys: { list: 1, entityType: 1, optionType: 1, keys: 1 },
} as const;
for (const index of Object.values(INDEXES)) linkedAccountSchema.index(index, whereSet("list"));

export const listCountSchema = new Schema<ListCount>(
  {
    _id: { type: String, required: true },
    accounts: { type: Number, required: true },
    ofUsers: { type: Number, required: true },
  },
  { versionKey: false },
);

/** The place to which an account's sealed data is bound. */
export function sealedPlace(linkedAccountId: string): string {
  return `linked-account:${linkedAccountId}`;
}
