// The kinds of documents that a verification looks at.

import { invoices, subscriptions } from "./billed.ts";
import { payments, refunds } from "./collected.ts";
import type { Kind } from "./kind.ts";
import { payouts } from "./paid-out.ts";

export const KINDS = { payouts, payments, refunds, subscriptions, invoices };

/** All kinds, as what is looked up in a list of them. */
export const ALL_KINDS: Kind[] = Object.values(KINDS) as unknown as Kind[];
