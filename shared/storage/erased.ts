// The values that stand for erased personal data, the same in every collection. They are valid
// values of their fields, so that views, events and verification read an erased document as any
// other.

import type { Kept } from "../contracts/personal-data.ts";

/** Stands for a name, an address or another text. */
export const ERASED = "erased";
/** No mail can be sent to it (RFC 2606, 2). */
export const ERASED_EMAIL = "erased@erased.invalid";
/** It has the form of a phone number, and reaches no phone. */
export const ERASED_PHONE = "0000";
/** Stands for the last four characters of an account or card number. */
export const ERASED_DIGITS = "****";

/** The data that an erasure of a customer at checkout keeps. */
export const KEPT_OF_CUSTOMERS: Kept[] = [
  {
    what: "Ids, amounts, fees, currencies, states and times of payments, refunds, invoices and the journal",
    until: "without end",
    why: "The books have to show every movement of money; they name no person",
  },
  {
    what: "The merchant's own orderId, externalId, references and product texts",
    until: "without end",
    why: "They tie the books to the merchant's own records; only the merchant knows their meaning",
  },
  {
    what: "Events that a webhook has received, and data that a rail or an acquirer was told",
    until: "as the receiver decides",
    why: "They lie outside payrail: ask the receiver to erase them",
  },
  {
    what: "Answers to requests with an Idempotency-Key",
    until: "24 hours after the request",
    why: "A repeated request gets its first answer again",
  },
  {
    what: "Backups of the database from before the erasure",
    until: "they age out, by the operator's schedule",
    why: "A backup is never changed; after a restore, the erasure has to be repeated",
  },
];

/** The data that an erasure of an end user keeps. */
export const KEPT_OF_ENTITIES: Kept[] = [
  {
    what: "The id of the end user, with the times of its creation and erasure",
    until: "without end",
    why: "Wallets, payouts and entries of the journal name their owner by it",
  },
  {
    what: "Ids, types, amounts, states and times of its wallets, linked accounts and payouts",
    until: "without end",
    why: "A bank may return a payout late, and verification proves each payout from them",
  },
  ...KEPT_OF_CUSTOMERS,
];
