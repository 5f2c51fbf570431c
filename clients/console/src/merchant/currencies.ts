// The currencies that payrail has.

import type { Params } from "../api.ts";

export type Currency = Params<"POST /v1/business/{businessId}/collection-accounts">["currency"];

export const CURRENCIES: readonly Currency[] = ["USD", "EUR", "GBP", "CAD", "NGN"];
