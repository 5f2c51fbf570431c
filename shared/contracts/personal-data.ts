// Contracts of personal data: the export and the erasure of end users and of customers at checkout
// (docs/integrate/personal-data.md).

import { entity } from "./accounts.ts";
import { list, object } from "./compound-fields.ts";
import { action, businessId } from "./contract.ts";
import { type Infer, optional } from "./field.ts";
import { boolean, id, integer, oneOf, storedEmail, text, timestamp, uuid } from "./fields.ts";
import { linkedAccountView } from "./linked-account-lists.ts";
import { link } from "./payment-links.ts";
import { payment } from "./payments.ts";
import { subscriptionFields } from "./subscriptions.ts";
import { paymentMetadata, transaction } from "./transactions.ts";
import { wallet } from "./wallet-ledger.ts";
import { event } from "./webhooks.ts";

/** The greatest number of linked accounts and of withdrawals in an export. */
export const EXPORTED_AT_MOST = 1_000;
/** The same of payments, subscriptions and links, each of which may have 256 KB of a request. */
export const LARGE_EXPORTED_AT_MOST = 100;

/** The greatest number of end users with one email that are named. */
export const SHARERS_AT_MOST = 1_000;

const ERASED_WITHIN_MS = 60_000;
const EXPORTED_WITHIN_MS = 30_000;

const some = { max: EXPORTED_AT_MOST };
const fewer = { max: LARGE_EXPORTED_AT_MOST };
const complete = boolean({
  note: "False if there is more than the lists hold: the ordinary lists have the rest",
});
const ofCustomer = {
  payments: list(payment, { ...fewer, note: "Paid with this email, newest first" }),
  subscriptions: list(
    object(
      { ...subscriptionFields, metadata: paymentMetadata },
      { name: "ExportedSubscription", note: "A subscription, with the metadata of its payments" },
    ),
    { ...fewer, note: "Subscribed with this email, newest first" },
  ),
};
const paymentLinks = list(link, { ...fewer, note: "Created with the end user's token" });

const count = (what: string) => integer({ min: 0, note: `${what} without personal data` });
const checkoutCounts = {
  payments: count("Payments that are from now on"),
  subscriptions: count("Subscriptions that are from now on"),
};
const keptThing = {
  what: text({ max: 512, note: "What is kept", example: "Backups of the database" }),
  until: text({ max: 512, note: "Until when", example: "they age out" }),
  why: text({ max: 512, note: "Why it is kept", example: "A backup is never changed" }),
};
const erasedAt = timestamp({ note: "When the erasure began" });
/** What an erasure leaves. */
export type Kept = Infer<typeof keptThing>;
const kept = list(object(keptThing, { name: "KeptData", note: "Data that an erasure leaves" }), {
  max: 20,
  note: "The data that stays, each with the time until which it stays and the reason",
});

const ofEntity = { businessId, entityId: id({ note: "The end user" }) };
const entityKey = {
  ...ofEntity,
  sharedEmail: optional(
    oneOf(["include", "exclude"], {
      note: "Whether what was paid with the email is meant, if other end users have the same email",
    }),
  ),
};
const customerKey = {
  businessId,
  email: storedEmail({ note: "As given at checkout, in any case", example: "ada@example.com" }),
  sharedEmail: optional(
    oneOf(["include"], { note: "Says that all is meant, if several end users have the email" }),
  ),
};
const emailSharedBy = optional(
  list(uuid(), {
    max: SHARERS_AT_MOST,
    note: "The end users that have the email, if they are several and `sharedEmail` is not given: what was paid with it may be any of theirs, and is left out",
  }),
);
/** Why an erasure by a shared email is refused. */
export function sharedEmailReason(sharers: number): string {
  return `${sharers} end users have this email, and what was paid with it may be any of theirs: say by sharedEmail what is meant`;
}

export const personalData = {
  "accounts.exportEntity": action({
    does: "Exports all data about an end user. It has the accounts in full, the withdrawals, and what was paid with its email",
    params: entityKey,
    result: object({
      entity,
      wallets: list(wallet, { ...some, note: "Its wallets" }),
      linkedAccounts: list(linkedAccountView, { ...some, note: "Unlinked ones too" }),
      withdrawals: list(transaction, {
        ...some,
        note: "Newest first, with the payouts of the business to the end user",
      }),
      ...ofCustomer,
      paymentLinks,
      emailSharedBy,
      complete,
    }),
    errors: ["ENTITY_NOT_FOUND"],
    timeoutMs: EXPORTED_WITHIN_MS,
  }),

  "accounts.eraseEntity": action({
    does: "Erases an end user for good. Names, addresses, account numbers and the customer's details of what was paid with its email are gone. The books stay whole, with ids alone. Money under way, a balance, a saved card and an email that other end users have refuse it. It takes some seconds; a repeated call completes an interrupted erasure, and after it has the same result",
    params: entityKey,
    result: object({
      id: uuid({ note: "The end user" }),
      erasedAt,
      erased: object(
        {
          linkedAccounts: count("Linked accounts, unlinked ones too, that are from now on"),
          payouts: count("Payouts that are from now on"),
          ...checkoutCounts,
          paymentLinks: count("Links of its own that are from now on"),
        },
        { note: "How much was erased" },
      ),
      kept,
    }),
    meta: ["creation"],
    errors: ["ENTITY_NOT_FOUND", "ERASURE_REFUSED", "ERASURE_RUNNING"],
    timeoutMs: ERASED_WITHIN_MS,
  }),

  "payment-links.exportCustomer": action({
    does: "Exports all data about a customer at checkout: the payments and subscriptions with this email",
    params: customerKey,
    result: object({ ...ofCustomer, emailSharedBy, complete }),
    timeoutMs: EXPORTED_WITHIN_MS,
    callers: ["gateway", "accounts"],
  }),

  "payment-links.eraseCustomer": action({
    does: "Erases a customer at checkout for good: its details in the payments and subscriptions with this email. Money under way, a saved card and an email that several end users have refuse it. A repeated call completes an interrupted erasure",
    params: customerKey,
    result: object({
      erasedAt,
      erased: object(checkoutCounts, { note: "How much was erased" }),
      kept,
    }),
    meta: ["creation"],
    errors: ["ERASURE_REFUSED"],
    timeoutMs: ERASED_WITHIN_MS,
    callers: ["gateway", "accounts"],
  }),

  "payment-links.linksOf": action({
    does: "The payment links that an end user created, newest first",
    params: ofEntity,
    result: object({ paymentLinks, complete }),
    timeoutMs: EXPORTED_WITHIN_MS,
    callers: ["accounts"],
  }),

  "payment-links.eraseLinksOf": action({
    does: "Disables the payment links that an end user created, and erases their personal data. A repeated call has the same result",
    params: ofEntity,
    result: object({ paymentLinks: integer({ min: 0 }) }),
    timeoutMs: ERASED_WITHIN_MS,
    callers: ["accounts"],
  }),

  "payouts.countOpen": action({
    does: "How many payouts of an end user have not ended, or need attention: they may still need the data of their linked accounts",
    params: ofEntity,
    result: object({ open: integer({ min: 0 }) }),
    callers: ["accounts"],
  }),

  "payouts.eraseEntity": action({
    does: "Erases the personal data in the payouts of an end user, and in their events. A repeated call has the same result",
    params: ofEntity,
    result: object({ payouts: integer({ min: 0 }) }),
    timeoutMs: ERASED_WITHIN_MS,
    callers: ["accounts"],
  }),

  "webhooks.reviseEvents": action({
    does: "Replaces the bodies of stored events whose personal data was erased, and forgets what receivers answered to them; events that are not stored stay so. A repeated call has the same result",
    params: { events: list(event, { max: 1_000 }) },
    result: object({}),
    callers: ["payouts", "payment-links"],
  }),
};
