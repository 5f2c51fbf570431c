// Contracts of the parties of transactions: the recipients of payouts, and the entities that the
// transactions belong to. Only accounts has their names and addresses.

import { list, object } from "./compound-fields.ts";
import { action, businessId } from "./contract.ts";
import { nullable, optional } from "./field.ts";
import { boolean, text, uuid } from "./fields.ts";
import { partyFields, partyFilters, recipientFields } from "./transactions.ts";

/** As many as a page has transactions. */
export const SHOWN_AT_MOST = 100;
/** As many as a batch of payouts has. */
export const PAYEES_AT_MOST = 500;
/** The greatest number of accounts, or of entities, that a search tells or is restricted to. */
export const FOUND_AT_MOST = 1_000;

const found = { max: FOUND_AT_MOST };

/** Transactions to one of the accounts, if it has accounts, and of one of the entities, if it has. */
const alternative = object({
  linkedAccountIds: optional(list(uuid(), found)),
  entityIds: optional(list(uuid(), found)),
});

/** The transactions that a search finds match one of these. */
const alternatives = nullable(
  list(alternative, { max: 3, note: "Null if more parties match than are told" }),
);

export const parties = {
  "accounts.parties": action({
    does: "Shows the recipients and the entities of transactions; an erased one is left out",
    params: {
      linkedAccountIds: list(uuid(), { max: SHOWN_AT_MOST, note: "The accounts that are paid" }),
      entityIds: list(uuid(), { max: SHOWN_AT_MOST, note: "The entities" }),
    },
    result: object({
      recipients: list(object({ id: uuid(), ...recipientFields }), { max: SHOWN_AT_MOST }),
      entities: list(object(partyFields), { max: SHOWN_AT_MOST }),
    }),
  }),

  "accounts.payees": action({
    does: "Shows to whom and where payouts go, for their screening; null for one that is erased or cannot be opened",
    params: { linkedAccountIds: list(uuid(), { max: PAYEES_AT_MOST }) },
    result: list(
      nullable(
        object({
          name: recipientFields.name,
          email: recipientFields.email,
          bankName: recipientFields.bankName,
          country: nullable(text({ max: 2, note: "ISO 3166-1 alpha-2; null for a card" })),
        }),
      ),
      { max: PAYEES_AT_MOST },
    ),
    callers: ["payouts"],
  }),

  "accounts.findParties": action({
    does: "Finds the recipients and the entities by which a list of transactions is filtered",
    params: {
      businessId,
      ...partyFilters,
      amongAccounts: optional(list(uuid(), { ...found, note: "Only these linked accounts" })),
      amongEntities: optional(list(uuid(), { ...found, note: "Only these entities" })),
    },
    result: object({
      alternatives,
      isOfBusiness: boolean({ note: "Whether all of the business's own transactions match" }),
    }),
    errors: ["TOO_BROAD"],
    callers: ["gateway", "payouts", "wallet-ledger"],
  }),
};

/** The filters by parties as the services that have transactions get them, with what they match. */
export const byParties = optional(object({ ...partyFilters, alternatives }));
