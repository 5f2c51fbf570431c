// All kinds of documents that a verification reads.

import { invoices } from "./invoices.ts";
import type { Kind } from "./kind.ts";
import { payments } from "./payments.ts";
import { payouts } from "./payouts.ts";
import { refunds } from "./refunds.ts";
import { subscriptions } from "./subscriptions.ts";

export const KINDS = { payouts, payments, refunds, subscriptions, invoices };

/** All kinds as a list to search. */
export const ALL_KINDS: Kind[] = Object.values(KINDS) as unknown as Kind[];
