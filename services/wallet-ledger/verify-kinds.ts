// The kinds of documents that a verification looks at.

import type { Kind } from "./verify-kind.ts";
import { invoices, subscriptions } from "./verify-kinds-billed.ts";
import { payments, refunds } from "./verify-kinds-collected.ts";
import { payouts } from "./verify-kinds-paid-out.ts";

export const KINDS = { payouts, payments, refunds, subscriptions, invoices };

/** All kinds, as what is looked up in a list of them. */
export const ALL_KINDS: Kind[] = Object.values(KINDS) as unknown as Kind[];
