// The erasure of an entity's linked accounts, unlinked ones too. The documents stay with their ids,
// because payouts name them. A sealed empty object replaces the sealed data, so that a rotation of
// keys treats an erased account as any other.

import { seal } from "../../shared/security/seal.ts";
import { ERASED, ERASED_DIGITS, ERASED_EMAIL } from "../../shared/storage/erased.ts";
import type { Deps } from "./deps.ts";
import { type LinkedAccount, sealedPlace } from "./linked-account.model.ts";
import { unlinkCounted } from "./lists/counts.ts";

const EMPTY = JSON.stringify({});

const UNSET = {
  label: 1,
  nickName: 1,
  counterPublicPartyEmail: 1,
  bankName: 1,
  list: 1,
  keys: 1,
  folded: 1,
} as const;

/** Erases all accounts of an entity. @returns their number */
export async function eraseAccounts(
  { config, clock, models: { linked_accounts: accounts } }: Deps,
  entityId: string,
): Promise<number> {
  const all = await accounts.find({ entityId }).lean<LinkedAccount[]>();
  for (const account of all) {
    if (account.erasedAt) continue;
    await unlinkCounted(accounts, clock, account);
    const erased = {
      counterPartyName: ERASED,
      counterPartyEmail: ERASED_EMAIL,
      lastFour: ERASED_DIGITS,
      fingerprint: ERASED,
      sealed: seal(config, sealedPlace(account._id), EMPTY),
      erasedAt: new Date(clock.now()),
    };
    await accounts.updateOne({ _id: account._id }, { $set: erased, $unset: UNSET });
  }
  return all.length;
}
