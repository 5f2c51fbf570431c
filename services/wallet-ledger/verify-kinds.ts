// The kinds of documents that a verification looks at.

import type { Kind } from "./verify-kind.ts";
import { payments, refunds } from "./verify-kinds-collected.ts";
import { payouts } from "./verify-kinds-paid-out.ts";

export const KINDS = { payouts, payments, refunds };

/** All kinds, as what is looked up in a list of them. */
export const ALL_KINDS: Kind[] = Object.values(KINDS) as Kind[];
