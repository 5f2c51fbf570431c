// Contracts of the parties of transactions: the recipients of payouts, and the entities that the
// transactions belong to. Only accounts has their names and addresses.

import { list, object } from "./compound-fields.ts";
import { action } from "./contract.ts";
import { uuid } from "./fields.ts";
import { partyFields, recipientFields } from "./transactions.ts";

/** As many as a page has transactions. */
export const SHOWN_AT_MOST = 100;

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
};
