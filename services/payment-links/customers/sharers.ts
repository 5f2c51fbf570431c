// The end users that share an email. What was paid with it may be any of theirs, so an export or an
// erasure by that email says so first.

import type { Params } from "../../../shared/contracts/contracts.ts";
import { type Caller, call } from "../../../shared/rpc/actions.ts";

/** @returns none if at most one end user has the email, or if the request says to include all */
export async function findSharers(
  caller: Caller,
  { businessId, email, sharedEmail }: Params<"payment-links.exportCustomer">,
): Promise<string[]> {
  if (sharedEmail === "include") return [];
  const { ids } = await call(caller, "accounts.endUsersWith", { businessId, email });
  return ids.length > 1 ? ids : [];
}
