// Seeds many linked accounts of a business in a short time. Each document is stored as the product
// stores it (services/accounts/lists/counts.ts), but in large batches, with the list indexes built
// afterwards, and with one shared sealed box that cannot be opened.

import { randomBytes } from "node:crypto";
import type { Model } from "mongoose";
import {
  INDEXES,
  type LinkedAccount,
  type ListCount,
} from "../../../services/accounts/linked-account.model.ts";
import { findable, listName } from "../../../services/accounts/lists/search-keys.ts";
import type { Config } from "../../../shared/config/config.ts";
import { creationTime, newId } from "../../../shared/ids.ts";
import { type Sealed, seal } from "../../../shared/security/seal.ts";

/** The number of accounts of each business with each word in name, email or bank. */
export const PLANTED = { qxa: 1, qxb: 20, qxc: 1_000 } as const;

/** Values that only the accounts with `qxb` have: owner, last digits and option type. */
export const RARE = { lastFour: "0007", optionType: "prepaid_card" } as const;

const PER_INSERT = 5_000;
const PER_ENTITY = 10;
const SEALED_BYTES = 600;

const FIRST =
  "maria john wei fatima anna peter olga kwame chidi sofia liam emma noah yuki priya".split(" ");
const SYLLABLES = "go nda le smi th ka mu ra to ber son an der li vic mar tin ok for ben".split(
  " ",
);
const HOSTS = ["mail.test", "example.com", "inbox.co.uk", "corp.io"];

interface Models {
  linked_accounts: Model<LinkedAccount>;
  linked_account_counts: Model<ListCount>;
}

export interface Seeded {
  businessId: string;
  /** Owns the accounts with `qxb`. */
  rareOwner: string;
}

/** Drops the list indexes; `buildIndexes` creates them again. */
export async function dropIndexes({ linked_accounts }: Models): Promise<void> {
  for (const index of Object.values(INDEXES)) {
    const name = Object.keys(index).map((field) => `${field}_1`);
    await linked_accounts.collection.dropIndex(name.join("_"));
  }
}

export async function buildIndexes({ linked_accounts }: Models): Promise<void> {
  const partialFilterExpression = { list: { $exists: true } };
  await linked_accounts.collection.createIndexes(
    Object.values(INDEXES).map((key) => ({ key, partialFilterExpression })),
  );
}

/** Inserts linked accounts of a new business in USD, with their counts. */
export async function seedAccounts(models: Models, config: Config, count: number): Promise<Seeded> {
  const seeded = { businessId: newId(), rareOwner: newId() };
  const box = seal(config, "bench", "0".repeat(SEALED_BYTES));
  let owner = newId();
  for (let from = 0; from < count; from += PER_INSERT) {
    const to = Math.min(count, from + PER_INSERT);
    const batch: LinkedAccount[] = [];
    for (let i = from; i < to; i++) {
      if (i % PER_ENTITY === 0) owner = newId();
      const account = accountAt(seeded, owner, box, i);
      batch.push({ ...account, ...findable(account) });
    }
    await models.linked_accounts.collection.insertMany(batch as never[], { ordered: false });
  }
  const _id = `${listName(seeded.businessId, "USD")}:0`;
  await models.linked_account_counts.create({ _id, accounts: count, ofUsers: count });
  return seeded;
}

/** An ordinary account; the first ones have the rare values. */
export function accountAt(
  { businessId, rareOwner }: Seeded,
  owner: string,
  sealed: Sealed,
  i: number,
): LinkedAccount {
  const _id = newId();
  const words = Object.entries(PLANTED).filter(([, count]) => i < count);
  const planted = words.map(([word]) => ` ${word}`).join("");
  const isRare = i < PLANTED.qxb;
  const [first, last] = [pick(FIRST), pick(SYLLABLES) + pick(SYLLABLES) + pick(SYLLABLES)];
  const optionType = isRare
    ? RARE.optionType
    : pick(["bank", "bank", "card", "international_bank"]);
  const madeAt = new Date(creationTime(_id));
  return {
    _id,
    businessId,
    entityId: isRare ? rareOwner : owner,
    entityType: "USER",
    walletId: newId(),
    currency: "USD",
    optionType: optionType as LinkedAccount["optionType"],
    counterPartyName: `${first} ${last}${planted}`,
    counterPartyEmail: `${first}.${last}${i % 1_000}${planted.replaceAll(" ", ".")}@${pick(HOSTS)}`,
    bankName: `${pick(SYLLABLES)}${pick(SYLLABLES)} bank${planted}`,
    nickName: pick(["rent", "salary", "home", "savings"]),
    lastFour: isRare ? RARE.lastFour : String(1_000 + Math.floor(Math.random() * 9_000)),
    fingerprint: randomBytes(32).toString("base64"),
    sealed,
    createdAt: madeAt,
    updatedAt: madeAt,
    unlinkedAt: null,
  };
}

function pick<T>(values: readonly T[]): T {
  return values[Math.floor(Math.random() * values.length)] as T;
}
