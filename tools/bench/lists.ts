// Measures lists of linked accounts: the same pages of a business with a thousand accounts and of
// one with a million, in turns, on one database; the cost of linking an account with all list
// indexes; and the space of these indexes. A page covers the work of accounts from the parameters
// to the documents and the total. HTTP, balances and decryption are left out, because they cost the
// same for every page.

import { entitySchema } from "../../services/accounts/entity.model.ts";
import {
  linkedAccountSchema,
  listCountSchema,
} from "../../services/accounts/linked-account.model.ts";
import { gatherInserts } from "../../services/accounts/lists/counts.ts";
import { listOfBusiness, listOfCaller } from "../../services/accounts/lists/listing.ts";
import { findable } from "../../services/accounts/lists/search-keys.ts";
import type { Params } from "../../shared/contracts/contracts.ts";
import { errorType } from "../../shared/errors.ts";
import { newId } from "../../shared/ids.ts";
import { seal } from "../../shared/security/seal.ts";
import { type Database, database } from "../../shared/storage/database.ts";
import { Records } from "../../shared/storage/records.ts";
import { migrateConfigured } from "../migrate/migrate.ts";
import { type Row, rateOf } from "./support/rate.ts";
import {
  accountAt,
  buildIndexes,
  dropIndexes,
  PLANTED,
  RARE,
  type Seeded,
  seedAccounts,
} from "./support/seed-accounts.ts";
import { type Setting, urlOf } from "./support/setting.ts";

const FEW = 1_000;
const MANY = 1_000_000;
const EXTERNAL_ID = "customer-1";
const CALLERS = [1, 16];

const schemas = {
  entities: entitySchema,
  linked_accounts: linkedAccountSchema,
  linked_account_counts: listCountSchema,
};
type Db = Database<typeof schemas>;
type Query = Partial<Params<"accounts.linkedAccounts">>;

export async function benchLists(setting: Setting): Promise<Row[]> {
  const db = database(setting.config, "bench", schemas);
  await db.open();
  await dropIndexes(db.models);
  setting.say(`Seeding ${FEW} and ${MANY} linked accounts`);
  const few = await seedBusiness(db, setting, FEW);
  const many = await seedBusiness(db, setting, MANY);
  setting.say("Building the indexes of the lists");
  await buildIndexes(db.models);
  // All writes are on disk before the measurement.
  await db.connection.db?.admin().command({ fsync: 1 });
  setting.say("Measuring pages");
  const rows: Row[] = [];
  for (const page of PAGES) rows.push(await measurePage(db, page, few, many));
  rows.push(...(await sizes(db, FEW + MANY, "built at once")));
  rows.push(...(await measureCreation(db, setting, many, `beside ${MANY}`)));
  await db.close();
  return [...rows, ...(await measureNewDatabase(setting))];
}

async function seedBusiness({ models }: Db, { config }: Setting, count: number): Promise<Seeded> {
  const seeded = await seedAccounts(models, config, count);
  const { businessId, rareOwner } = seeded;
  const createdAt = new Date();
  const email = "bench@example.com";
  await models.entities.create([
    { _id: businessId, businessId, entityType: "BUSINESS", name: "Bench", email, createdAt },
    {
      _id: rareOwner,
      businessId,
      entityType: "USER",
      email,
      externalIdentifier: EXTERNAL_ID,
      createdAt,
    },
  ]);
  return seeded;
}

interface Page {
  what: string;
  query?: Query;
  /** The caller of the external list. */
  as?: "user" | "merchant";
}

const [one, twenty, thousand] = Object.keys(PLANTED) as [string, string, string];

const PAGES: Page[] = [
  { what: "no filter" },
  { what: "no filter, DESC", query: { sortDirection: "DESC" } },
  { what: "no filter, order=newest", query: { order: "newest" } },
  ...(
    ["updatedAt", "counterPartyName", "counterPartyEmail", "nickName", "optionType"] as const
  ).map((sortBy) => ({ what: `no filter by ${sortBy}`, query: { sortBy } })),
  { what: "external, of all users", as: "merchant" },
  { what: "external, of one user", as: "user" },
  { what: "external, of all users, email of 1 character", as: "merchant", query: { email: "e" } },
  {
    what: "external, of all users, accountType=bank",
    as: "merchant",
    query: { accountType: "bank" },
  },
  { what: "externalId", query: { externalId: EXTERNAL_ID } },
  { what: "accountType, rare", query: { accountType: RARE.optionType } },
  { what: "last4, rare", query: { last4: RARE.lastFour } },
  ...(["search", "email", "bank"] as const).flatMap((name) =>
    [one, twenty, thousand].map((word) => ({ what: `${name}=${word}`, query: { [name]: word } })),
  ),
  { what: "search of more than a key", query: { search: `${one} ${twenty} ${thousand}` } },
  { what: "search without a match", query: { search: "qqq" } },
  { what: "all filters", query: { search: thousand, email: thousand, bank: twenty, last4: "7" } },
  { what: `search=${thousand} by email`, query: { search: thousand, sortBy: "counterPartyEmail" } },
  { what: "search=maria", query: { search: "maria" } },
  { what: "search=maria by email", query: { search: "maria", sortBy: "counterPartyEmail" } },
  { what: "search of 2 characters", query: { search: "ma" } },
  { what: "search of 1 character", query: { search: "a" } },
  { what: "email of 1 character", query: { email: "e" } },
  { what: "email=@example.com", query: { email: "@example.com" } },
  { what: "last4 of 1 digit", query: { last4: "5" } },
  { what: "accountType=bank", query: { accountType: "bank" } },
  { what: "accountType=bank, search=ma", query: { accountType: "bank", search: "ma" } },
  { what: "page 10,000", query: { page: 10_000 } },
  { what: "page 10,000 by email", query: { page: 10_000, sortBy: "counterPartyEmail" } },
  { what: "page 1,000 of accountType=bank", query: { page: 1_000, accountType: "bank" } },
];

const TURNS = 9;
const FEWEST_TURNS = 3;
const MEASURED_MS = 6_000;

/** Medians over alternating turns of both businesses, so that both meet the same load. */
async function measurePage(db: Db, page: Page, few: Seeded, many: Seeded): Promise<Row> {
  const times: [few: number[], many: number[]] = [[], []];
  // The first turn warms up.
  const matches = `${await totalOf(db, page, few)} / ${await totalOf(db, page, many)}`;
  const end = performance.now() + MEASURED_MS;
  for (let turn = 0; turn < TURNS; turn++) {
    if (turn >= FEWEST_TURNS && performance.now() > end) break;
    times[0].push(await timed(() => totalOf(db, page, few)));
    times[1].push(await timed(() => totalOf(db, page, many)));
  }
  const [fewMs, manyMs] = [median(times[0]), median(times[1])];
  return { what: page.what, matches, fewMs: ms(fewMs), manyMs: ms(manyMs), ratio: manyMs / fewMs };
}

/** Reads a page. @returns the number of matches, "by cursor" or "too broad" */
async function totalOf(
  db: Db,
  { query = {}, as }: Page,
  { businessId, rareOwner }: Seeded,
): Promise<number | string> {
  const models = { ...db.models, entities: new Records(db.models.entities) };
  const asked = { currency: "USD", ...query } as const;
  const sub = as === "user" ? rareOwner : businessId;
  try {
    const { meta } = await (as === undefined
      ? listOfBusiness({ models }, { businessId, ...asked })
      : listOfCaller({ models }, { sub, role: as }, asked));
    return "total" in meta ? meta.total : "by cursor";
  } catch (error) {
    if (errorType(error) === "TOO_BROAD") return "too broad";
    throw error;
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

interface Stats {
  storageStats: { storageSize: number; indexSizes: Record<string, number> };
}

/** Bytes per account: of the documents and of each index. */
async function sizes({ models }: Db, accounts: number, how: string): Promise<Row[]> {
  const stats = await models.linked_accounts.collection
    .aggregate([{ $collStats: { storageStats: {} } }])
    .next();
  const { storageSize, indexSizes } = (stats as Stats).storageStats;
  const ofLists = Object.entries(indexSizes).filter(([name]) => name.startsWith("list_1"));
  const keys = indexSizes.list_1_entityType_1_optionType_1_keys_1 as number;
  const others = ofLists.reduce((sum, [, bytes]) => sum + bytes, 0) - keys;
  const perAccount = (bytes: number) => Math.round(bytes / accounts);
  return [
    { what: `bytes an account, index of searches, ${how}`, bytes: perAccount(keys) },
    {
      what: `bytes an account, ${ofLists.length - 1} other indexes of lists, ${how}`,
      bytes: perAccount(others),
    },
    { what: `bytes an account, document (compressed), ${how}`, bytes: perAccount(storageSize) },
  ];
}

/** Insertions per second: plain, with the list indexes, and with the product's counts. */
async function measureCreation(
  { models }: Db,
  { config, ms: forMs }: Setting,
  seeded: Seeded,
  where: string,
): Promise<Row[]> {
  const box = seal(config, "bench", "0".repeat(600));
  const accounts = models.linked_accounts;
  const insertCounted = gatherInserts(accounts);
  const next = () => accountAt(seeded, newId(), box, Number.MAX_SAFE_INTEGER);
  const rows: Row[] = [];
  for (const callers of CALLERS) {
    const baseline = await rateOf(callers, forMs, () => accounts.create(next()));
    const found = await rateOf(callers, forMs, () => {
      const account = next();
      return accounts.create({ ...account, ...findable(account) });
    });
    const perSecond = await rateOf(callers, forMs, () => insertCounted(next()));
    rows.push({
      what: `linked, ${callers} callers, ${where}`,
      perSecond,
      notCounted: found,
      baseline,
      ratio: perSecond / baseline,
    });
  }
  return rows;
}

/** The same on a separate database, for the size of an index that grew with its accounts. */
async function measureNewDatabase(setting: Setting): Promise<Row[]> {
  const config = { ...setting.config, mongoUrl: urlOf(setting, "new") };
  await migrateConfigured(config, { schemas });
  const db = database(config, "bench", schemas);
  await db.open();
  const seeded = await seedBusiness(db, setting, FEW);
  const rows = await measureCreation(db, setting, seeded, `beside ${FEW}`);
  await db.connection.db?.admin().command({ fsync: 1 });
  const listed = await db.models.linked_accounts.countDocuments({ list: { $exists: true } });
  rows.push(...(await sizes(db, listed, "grown")));
  await db.connection.dropDatabase();
  await db.close();
  return rows;
}

function median(times: number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] as number;
}

function ms(value: number): number {
  return Math.round(value * 10) / 10;
}
