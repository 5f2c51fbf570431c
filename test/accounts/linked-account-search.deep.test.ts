// Searches of linked accounts: a search matches exactly the texts that contain it, with any
// characters, and an index serves every read of every list.

import type { mongo } from "mongoose";
import accounts from "../../services/accounts/accounts.service.ts";
import { entitySchema } from "../../services/accounts/entity.model.ts";
import {
  linkedAccountSchema,
  listCountSchema,
} from "../../services/accounts/linked-account.model.ts";
import { listOfBusiness, listOfCaller } from "../../services/accounts/lists/listing.ts";
import walletLedger from "../../services/wallet-ledger/wallet-ledger.service.ts";
import type { Params } from "../../shared/contracts/contracts.ts";
import { SORTED_BY } from "../../shared/contracts/linked-account-lists.ts";
import { newId } from "../../shared/ids.ts";
import { database } from "../../shared/storage/database.ts";
import type { PageMeta } from "../../shared/storage/paging.ts";
import { Records } from "../../shared/storage/records.ts";
import { PLANTED, RARE, seedAccounts } from "../../tools/bench/support/seed-accounts.ts";
import { migrateConfigured } from "../../tools/migrate/migrate.ts";
import { bankData, createBusiness, createUser, linkAccount } from "../support/accounts.ts";
import { type System, startSystem, until } from "../support/system.ts";
import { type Random, seeded } from "../support/traffic.ts";

type Query = Partial<Params<"accounts.linkedAccounts">>;

/** The number of matches of a page by number. */
function totalOf(meta: object): number {
  expect(meta).toHaveProperty("total");
  return (meta as PageMeta).total;
}

let system: System;

beforeAll(async () => {
  system = await startSystem([walletLedger, accounts]);
});
afterAll(() => system?.stop());

describe("a search", () => {
  /** Letters of several cases and lengths, forms of one letter, look-alikes, and patterns. */
  const LETTERS = [
    ...Array.from("aAbBeE  ßİıςσΣ.*+?^$|\\()[]{}/-#%_'\""),
    "é",
    "É",
    "e\u0301",
    "\u0430",
    "ａ",
    "😀",
    "ﬁ",
    "\u{10ffff}",
  ];
  const LOCAL = Array.from("aAbB.+_-");

  interface Texts {
    id: string;
    search: string;
    email: string;
    bank: string;
  }
  let businessId: string;
  let walletId: string;
  const texts: Texts[] = [];
  const random = seeded();

  beforeAll(async () => {
    businessId = (await createBusiness(system)).id;
    ({ walletId } = await createUser(system, businessId));
    const made = Array.from({ length: 120 }, async () => {
      const [name, bankName] = [text(random, 24), text(random, 24)];
      const email = `${drawn(random, LOCAL, 1 + random.below(8)).replaceAll(".", "x")}@Example.com`;
      const data = bankData({ name, bankName, email });
      const { id, ...linked } = await linkAccount(system, { businessId, walletId, data });
      const { counterPartyName: search, counterPartyEmail } = linked;
      texts.push({ id, search, email: counterPartyEmail, bank: bankName.trim() });
    });
    await Promise.all(made);
  });

  function drawn({ oneOf }: Random, letters: string[], length: number): string {
    return Array.from({ length }, () => oneOf(letters)).join("");
  }

  /** A text that is not blank. */
  function text(from: Random, length: number): string {
    return `${drawn(from, LETTERS, from.below(length))}a`;
  }

  /**
   * A part of an account's text, or a random text; of one character up to more than a search key.
   */
  function part(field: keyof Texts): string {
    const whole = Array.from(random.oneOf(texts)[field]);
    const from = random.below(whole.length);
    const length = random.oneOf([1, 1, 2, 2, 3, 5, 12, 13, 20]);
    const cut = whole.slice(from, from + length).join("");
    const foreign = drawn(random, LETTERS, length);
    return random.oneOf([cut, cut, cut.toUpperCase(), cut.toLowerCase(), foreign]);
  }

  /** The reference for a match: the text contains the search, compared in lower case. */
  function holds(whole: string, searched: string): boolean {
    const [letters, wanted] = [letter(whole), letter(searched.trim())];
    return letters.some((_, i) => wanted.every((one, k) => one === letters[i + k]));
  }

  function letter(of: string): string[] {
    const lower = Array.from(of.normalize("NFC"), (one) => one.toLowerCase()).join("");
    return Array.from(lower, (one) => (one === "ς" ? "σ" : one));
  }

  async function found(query: Query): Promise<{ ids: string[]; total: number }> {
    const asked = { businessId, currency: "USD", limit: 100, ...query } as const;
    const first = await system.call("accounts.linkedAccounts", asked);
    const second = await system.call("accounts.linkedAccounts", { ...asked, page: 2 });
    const ids = [...first.items, ...second.items].map(({ id }) => id);
    return { ids, total: totalOf(first.meta) };
  }

  test.each(["search", "email", "bank"] as const)("by %s matches literally", async (field) => {
    for (let i = 0; i < 80; i++) {
      const searched = part(field);
      if (searched.trim() === "") continue;
      const expected = texts.filter((account) => holds(account[field], searched));
      const ids = expected.map(({ id }) => id).toSorted();
      const result = await found({ [field]: searched });
      expect({ searched, ...result }).toEqual({ searched, ids, total: ids.length });
    }
  });

  test("by several texts matches accounts with all of them", async () => {
    for (let i = 0; i < 50; i++) {
      const account = random.oneOf(texts);
      const cut = (whole: string) => {
        const letters = Array.from(whole);
        return letters.slice(0, 1 + random.below(3)).join("");
      };
      const query = {
        search: cut(account.search),
        email: cut(account.email),
        bank: cut(account.bank),
      };
      const expected = texts.filter(
        ({ search, email, bank }) =>
          holds(search, query.search) && holds(email, query.email) && holds(bank, query.bank),
      );
      const ids = expected.map(({ id }) => id).toSorted();
      expect({ query, ...(await found(query)) }).toEqual({ query, ids, total: ids.length });
    }
  });

  test.each([
    ["the Latin a", "a", "\u0430"],
    ["the narrow a", "a", "ａ"],
    ["two letters", "fi", "ﬁ"],
    ["an i with its dot", "i", "ı"],
    ["a letter without its accent", "e", "é"],
  ])("%s does not match a look-alike", async (_, searched, like) => {
    const other = (await createUser(system, businessId)).walletId;
    const name = `Xq${like}7`;
    await linkAccount(system, { businessId, walletId: other, data: bankData({ name }) });
    expect((await found({ search: `xq${searched}7` })).total).toBe(0);
    expect((await found({ search: `xq${like}7` })).total).toBeGreaterThan(0);
  });
});

/** An operation in mongod's profiler (fields of its document). */
interface Profiled {
  command: Record<string, unknown>;
  planSummary: string;
  docsExamined: number;
  keysExamined: number;
  nreturned?: number;
  hasSortStage?: boolean;
  errName?: string;
}

describe("every read of a list", () => {
  const COUNT = 13_000;
  const LIMIT = 50;
  const [one, twenty, thousand] = Object.keys(PLANTED) as [string, string, string];
  let db: Awaited<ReturnType<typeof open>>;
  let models: Parameters<typeof listOfBusiness>[0]["models"];
  let raw: mongo.Db;
  let of: { businessId: string; rareOwner: string };

  const schemas = {
    entities: entitySchema,
    linked_accounts: linkedAccountSchema,
    linked_account_counts: listCountSchema,
  };

  async function open() {
    const url = new URL(system.config.mongoUrl as string);
    url.pathname += "_explained";
    const config = { ...system.config, mongoUrl: url.href };
    await migrateConfigured(config, { schemas });
    const opened = database(config, "test", schemas);
    await opened.open();
    return opened;
  }

  beforeAll(async () => {
    db = await open();
    models = { ...db.models, entities: new Records(db.models.entities) };
    raw = db.connection.db as never;
    of = await seedAccounts(db.models, system.config, COUNT);
    const { businessId, rareOwner } = of;
    const common = { businessId, email: "a@example.com", createdAt: new Date() };
    await db.models.entities.create([
      { _id: businessId, entityType: "BUSINESS", name: "Shop", ...common },
      { _id: rareOwner, entityType: "USER", externalIdentifier: "customer-1", ...common },
    ]);
    await raw.command({ profile: 2 });
  });
  afterAll(async () => {
    await raw.command({ profile: 0 });
    await db.connection.dropDatabase();
    await db.close();
  });

  /** The operations of mongod on linked accounts during the work. */
  async function profiled(work: () => Promise<unknown>): Promise<Profiled[]> {
    const from = new Date();
    await work();
    const operations = await raw
      .collection("system.profile")
      .find({ ts: { $gte: from }, ns: `${raw.databaseName}.linked_accounts` })
      .toArray();
    return operations as unknown as Profiled[];
  }

  function ofBusiness(query: Query): Promise<Profiled[]> {
    const { businessId } = of;
    return profiled(() => listOfBusiness({ models }, { businessId, currency: "USD", ...query }));
  }

  function ofCaller(role: "user" | "merchant", query: Query): Promise<Profiled[]> {
    const sub = role === "user" ? of.rareOwner : of.businessId;
    return profiled(() => listOfCaller({ models }, { sub, role }, { currency: "USD", ...query }));
  }

  function expectIndexed(operations: Profiled[]): void {
    expect(operations.length).toBeGreaterThan(0);
    for (const { planSummary } of operations) {
      expect(planSummary).toMatch(/^(IXSCAN|COUNT_SCAN)/);
      expect(planSummary).not.toContain("COLLSCAN");
    }
  }

  const isFind = ({ command }: Profiled) => Object.hasOwn(command, "find");
  const pagesOf = (operations: Profiled[]) => operations.filter(isFind);
  const countsOf = (operations: Profiled[]) => operations.filter((each) => !isFind(each));

  const sorts = SORTED_BY.flatMap((sortBy) => [
    { sortBy, sortDirection: "ASC" as const },
    { sortBy, sortDirection: "DESC" as const },
  ]);
  test.each(sorts)("by $sortBy $sortDirection has the order of the index", async (sort) => {
    for (const operations of [await ofBusiness(sort), await ofCaller("merchant", sort)]) {
      expectIndexed(operations);
      // The total is stored, so no operation counts.
      expect(countsOf(operations)).toEqual([]);
      for (const { hasSortStage, docsExamined } of operations) {
        expect(hasSortStage).toBeUndefined();
        expect(docsExamined).toBeLessThanOrEqual(LIMIT);
      }
    }
  });

  const selective: Query[] = [
    ...(["search", "email", "bank"] as const).flatMap((name) =>
      [one, twenty, thousand].map((word) => ({ [name]: word })),
    ),
    { search: `${one} ${twenty} ${thousand}` },
    { search: one, email: twenty, bank: thousand, last4: "7", accountType: RARE.optionType },
    { last4: RARE.lastFour },
    { last4: RARE.lastFour.slice(1) },
    { accountType: RARE.optionType },
    { accountType: RARE.optionType, search: "a" },
    { externalId: "customer-1" },
    { externalId: "customer-1", search: "a", accountType: RARE.optionType },
  ];
  test.each(selective)("with few matches reads few documents: %j", async (query) => {
    const { businessId } = of;
    const asked = { businessId, currency: "USD", ...query } as const;
    const total = totalOf((await listOfBusiness({ models }, asked)).meta);
    expect(total).toBeGreaterThan(0);
    for (const run of [
      () => ofBusiness(query),
      () => ofBusiness({ ...query, order: "newest" }),
      () => ofCaller("merchant", query),
    ]) {
      const operations = await run();
      expectIndexed(operations);
      for (const { docsExamined } of operations) {
        expect(docsExamined).toBeLessThanOrEqual(2 * total);
      }
    }
    expectIndexed(await ofCaller("user", query));
  });

  test("by several filters reads only the matches of the rarest", async () => {
    const operations = await ofBusiness({ search: thousand, email: "a", last4: "7" });
    expectIndexed(operations);
    for (const { docsExamined } of operations) {
      expect(docsExamined).toBeLessThanOrEqual(PLANTED.qxc);
    }
  });

  test("with few matches in another order sorts only these", async () => {
    for (const { sortBy, sortDirection } of sorts) {
      const operations = await ofBusiness({ search: thousand, sortBy, sortDirection });
      expectIndexed(operations);
      for (const { docsExamined } of operations) expect(docsExamined).toBeLessThanOrEqual(1_000);
    }
  });

  const dense: Query[] = [
    { search: "a" },
    { email: "." },
    { email: "@" },
    { bank: " bank" },
    { email: "@", bank: " bank", search: "a" },
  ];
  test.each(dense)(
    "with many matches sorts none and reads no document to count them: %j",
    async (query) => {
      for (const sortBy of ["createdAt", "counterPartyName", "updatedAt"] as const) {
        const operations = await until(async () => {
          const done = await ofBusiness({ ...query, sortBy });
          // On a busy machine the query may have run into its time limit.
          return !done.some(({ errName }) => errName === "MaxTimeMSExpired") && done;
        });
        expectIndexed(operations);
        for (const { hasSortStage, docsExamined } of pagesOf(operations)) {
          expect(hasSortStage).toBeUndefined();
          expect(docsExamined).toBeLessThanOrEqual(4 * LIMIT);
        }
        if (Object.keys(query).length > 1) continue;
        for (const { docsExamined } of countsOf(operations)) expect(docsExamined).toBe(0);
      }
    },
  );

  describe("over the database's time limit", () => {
    const expired = Object.assign(new Error("operation exceeded time limit"), { code: 50 });
    const ended = () => {
      throw expired;
    };
    const asked = (query: Query) =>
      ({ businessId: of.businessId, currency: "USD", ...query }) as const;
    afterEach(() => jest.restoreAllMocks());

    test("is a 503 with advice", async () => {
      jest.spyOn(db.models.linked_accounts, "countDocuments").mockImplementation(ended);
      await expect(listOfBusiness({ models }, asked({ search: "a" }))).rejects.toMatchObject({
        type: "TOO_BROAD",
        code: 503,
      });
    });

    test("in order is answered by sorting the matches, if they are not too many", async () => {
      const query = asked({ search: "a", sortBy: "counterPartyEmail", page: 3 });
      const inOrder = await listOfBusiness({ models }, query);
      jest.spyOn(db.models.linked_accounts, "find").mockImplementationOnce(ended);
      expect(await listOfBusiness({ models }, query)).toEqual(inOrder);
      expect(inOrder.accounts).toHaveLength(LIMIT);
    });
  });

  test("by type alone has the index's own order and is counted in it", async () => {
    for (const operations of [
      await ofBusiness({ accountType: "bank" }),
      await ofCaller("merchant", { accountType: "bank" }),
    ]) {
      expectIndexed(operations);
      for (const { hasSortStage } of operations) expect(hasSortStage).toBeUndefined();
      for (const { docsExamined } of countsOf(operations)) expect(docsExamined).toBe(0);
    }
  });

  test("without matches reads no document", async () => {
    const operations = await ofBusiness({ search: "qqq" });
    expectIndexed(operations);
    for (const { docsExamined } of operations) expect(docsExamined).toBe(0);
    const { meta } = await listOfBusiness(
      { models },
      {
        businessId: of.businessId,
        currency: "USD",
        externalId: newId(),
      },
    );
    expect(meta).toMatchObject({ total: 0 });
  });
});
