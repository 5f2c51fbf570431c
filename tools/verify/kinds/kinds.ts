// All kinds of documents that a verification reads.

import { invoices } from "./invoices.ts";
import type { Kind } from "./kind.ts";
import { payments } from "./payments.ts";
import { payouts } from "./payouts.ts";
import { refunds } from "./refunds.ts";
import { accountTransfers, adjustments, fundings, walletTransfers } from "./requests.ts";
import { subscriptions } from "./subscriptions.ts";

const REQUESTS = { fundings, adjustments, accountTransfers, walletTransfers };
export const KINDS = { ...REQUESTS, payouts, payments, refunds, subscriptions, invoices };

/** All kinds as a list to search. */
export const ALL_KINDS: Kind[] = Object.values(KINDS) as unknown as Kind[];
