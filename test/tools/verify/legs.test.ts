// Verification finds a wrong leg of the ledger, because its table of legs shares no code with the
// ledger. In these tests the ledger and verification are loaded with the same error, as if it was
// made in the product: an error in shared code would agree with itself.

import { BEFORE_FIRST_BLOCK, type Leg } from "../../../services/wallet-ledger/journal.model.ts";
import type * as LedgerModule from "../../../services/wallet-ledger/ledger.ts";
import { ledgerSchemas } from "../../../services/wallet-ledger/ledger.ts";
import type { Posting } from "../../../services/wallet-ledger/postings.ts";
import type * as Service from "../../../services/wallet-ledger/wallet-ledger.service.ts";
import { systemClock } from "../../../shared/clock.ts";
import { loadConfig } from "../../../shared/config/env.ts";
import { newId } from "../../../shared/ids.ts";
import { database } from "../../../shared/storage/database.ts";
import { migrateConfigured } from "../../../tools/migrate/migrate.ts";
import { type Edit, importWithout } from "../../../tools/simulate/ablate.ts";
import { expectedLegs } from "../../../tools/verify/journal/legs.ts";
import type * as VerifyModule from "../../../tools/verify/verify.ts";
import { readDocument } from "../../support/document.ts";
import { testEnvironment } from "../../support/system.ts";
import { startWorld } from "../../support/world.ts";

const FOLDER = "../../../services/wallet-ledger";
const POSTINGS = new URL(`${FOLDER}/postings.ts`, import.meta.url);
const LEDGER = new URL(`${FOLDER}/ledger.ts`, import.meta.url);
const SERVICE = new URL(`${FOLDER}/wallet-ledger.service.ts`, import.meta.url);
const VERIFY = new URL("../../../tools/verify/verify.ts", import.meta.url);

const PAID = { method: "RTP", amountMinor: 1_000, feesMinor: 50 } as const;
const CHARGED = { method: "CARD_COLLECTION", amountMinor: 1_000, feesMinor: 50 } as const;
const MOVED = { amountMinor: 1_000 } as const;
/** More than any other posting takes from the wallet. */
const FUNDED = { amountMinor: 5_000 } as const;

/** Of each kind: its money, and its document's collection and id. */
const KINDS: Record<Posting["kind"], [money: object, collection?: string, suffix?: string]> = {
  payout: [PAID, "payouts"],
  "payout-reversal": [PAID, "payouts", ":reversal"],
  collection: [CHARGED, "payments"],
  refund: [CHARGED, "payment_refunds"],
  "refund-reversal": [CHARGED, "payment_refunds", ":reversal"],
  funding: [FUNDED, "ledger_fundings"],
  "transfer-out": [MOVED, "ledger_transfers", ":out"],
  "transfer-in": [MOVED, "ledger_transfers", ":in"],
  "adjustment-credit": [{ ...MOVED, direction: "CREDIT" }, "ledger_adjustments"],
  "adjustment-debit": [{ ...MOVED, direction: "DEBIT" }, "ledger_adjustments"],
  "wallet-transfer-out": [MOVED, "ledger_wallet_transfers", ":out"],
  "wallet-transfer-in": [MOVED, "ledger_wallet_transfers", ":in"],
  disable: [{}],
  enable: [{}],
};
const ALL = Object.keys(KINDS) as Posting["kind"][];
const MONEY = ALL.filter((kind) => kind !== "disable" && kind !== "enable");
const WITH_FEES = ALL.filter((kind) => "feesMinor" in KINDS[kind][0]);

type Mistake = (legs: Leg[], wallets: { own: string; other: string }) => Leg[];

/** Moves a leg to another account. */
const moved = (legs: Leg[], i: number, account: string) =>
  legs.with(i, [account, legs[i]?.[1] as number]);

/** Wrong legs that sum to zero, and the kinds that they are wrong for. */
const MISTAKES: [name: string, kinds: Posting["kind"][], mistake: Mistake][] = [
  ["fees on another account", WITH_FEES, (legs) => moved(legs, 2, "0:outside:USD")],
  [
    "fees on the account of the amount",
    WITH_FEES,
    ([wallet, amount, fees]) =>
      [wallet, [amount?.[0], (amount?.[1] ?? 0) + (fees?.[1] ?? 0)]] as Leg[],
  ],
  ["the amount on another account", MONEY, (legs) => moved(legs, 1, "0:fees:USD")],
  ["another wallet", MONEY, (legs, { other }) => moved(legs, 0, other)],
  ["swapped signs", MONEY, (legs) => legs.map(([account, minor]): Leg => [account, -minor])],
  [
    "one minor unit too many",
    MONEY,
    (legs) => legs.map(([account, minor], i): Leg => [account, minor + ([1, -1][i] ?? 0)]),
  ],
  [
    "exchanged accounts",
    MONEY,
    (legs) => legs.map(([account, minor], i): Leg => [legs[[1, 0][i] ?? i]?.[0] ?? account, minor]),
  ],
  ["another order", MONEY, (legs) => legs.toReversed()],
  ["no legs", MONEY, () => []],
  ["two legs more", ALL, (legs, { own }) => [...legs, [own, -1], ["0:fees:USD", 1]]],
];

interface WithMistakes {
  /** The wrong legs by the id of their posting. */
  mistakes: Map<string, (legs: Leg[]) => Leg[]>;
}

/** Lets `buildLegs` make mistakes. */
const edits: Edit[] = [
  {
    file: "/wallet-ledger/postings.ts",
    find: "export function buildLegs(posting: Posting, p: number): Leg[] {",
    replace: `export const mistakes = new Map<string, (legs: Leg[]) => Leg[]>();
      export function buildLegs(posting: Posting, p: number): Leg[] {
        const legs = rightLegs(posting, p);
        return mistakes.get(posting.id)?.(legs) ?? legs;
      }
      function rightLegs(posting: Posting, p: number): Leg[] {`,
  },
];
type Mistaken = WithMistakes & typeof LedgerModule & typeof VerifyModule;
const modules = [POSTINGS, LEDGER, VERIFY];
const { mistakes, ...mistaken } = await importWithout<Mistaken>(modules, "right-legs", edits);

/**
 * Posts each kind once, and verifies the database.
 * @returns the kinds of the postings with violations, sorted
 */
async function foundWith(kinds: Posting["kind"][], mistake: Mistake): Promise<string[]> {
  const config = loadConfig(testEnvironment());
  await migrateConfigured(config, { schemas: ledgerSchemas });
  const db = database(config, "legs-test", ledgerSchemas);
  await db.open();
  const ledger = await mistaken.createLedger(db, systemClock, () => {});
  const open = async () => {
    let _id = newId();
    while (ledger.partitionFor(_id) !== 0) _id = newId();
    const account = { _id, p: 0, type: "SPEND", currency: "USD", createdAt: new Date() };
    await db.models.ledger_accounts.create({ ...account, checkpoint: BEFORE_FIRST_BLOCK });
    return _id;
  };
  const post = async (kind: Posting["kind"], walletId: string, how?: (legs: Leg[]) => Leg[]) => {
    const [money, collection, suffix = ""] = KINDS[kind];
    const _id = newId();
    const terms = { currency: "USD", ...money };
    const posting = { id: _id + suffix, kind, walletId, ...terms } as Posting;
    const owners = {
      walletId,
      accountId: walletId,
      collectionAccountId: walletId,
      toWalletId: walletId,
    };
    const document = { _id, ...owners, ...terms, totalMinor: 1_000 };
    if (collection) {
      await db.connection.collection(collection).insertOne(document as never);
    }
    if (how) mistakes.set(posting.id, how);
    expect(await ledger.log.post({ posting })).toMatchObject({ outcome: "committed" });
  };
  try {
    const other = await open();
    for (const kind of ALL) {
      const own = await open();
      await post("funding", own);
      await post("funding", other);
      await post(
        kind,
        own,
        kinds.includes(kind) ? (legs) => mistake(legs, { own, other }) : undefined,
      );
    }
    const { violations } = await mistaken.verify(db.connection);
    const wrong = violations.filter(({ rule }) => rule === "postings");
    return wrong.map(({ detail }) => detail.split(" ")[0] as string).sort();
  } finally {
    await ledger.stop();
    await db.connection.dropDatabase();
    await db.close();
  }
}

test("the right legs of every kind are no violation", async () => {
  expect(await foundWith([], (legs) => legs)).toEqual([]);
});

test.each(MISTAKES)("%s: a violation for each kind", async (_name, kinds, mistake) => {
  expect(await foundWith(kinds, mistake)).toEqual(kinds.toSorted());
});

test("the table of verification is that of docs/change/ledger.md", () => {
  const head = "| kind | `wallet` | `clearing` | `fees` | `outside` | `adjustments` | `transit` |";
  const rows = readDocument("docs/change/ledger.md").table(head);
  expect(rows.map(([kind]) => kind)).toEqual(ALL.map((kind) => `\`${kind}\``));
  const accounts = [
    "wallet",
    ...["clearing-RTP", "fees", "outside", "adjustments", "transit"].map((name) => `0:${name}:USD`),
  ];
  const sumOf = (cell: string) => {
    const value = { amount: 1_000, fees: 50 };
    const terms = [...cell.matchAll(/([+-]) (amount|fees)/g)];
    return terms.reduce(
      (sum, [, sign, name]) => sum + Number(`${sign}1`) * value[name as "amount" | "fees"],
      0,
    );
  };
  for (const [i, kind] of ALL.entries()) {
    const money = "method" in KINDS[kind][0] ? PAID : MOVED;
    const posting = { id: "", kind, walletId: "wallet", currency: "USD", ...money } as Posting;
    const legs = (rows[i] as string[]).slice(1).map((cell, at) => [accounts[at], sumOf(cell)]);
    expect(expectedLegs(posting, 0)).toEqual(legs.filter(([, sum]) => sum !== 0));
  }
});

/** Pays out with a ledger that has an error. @returns the violated rules */
async function violatedWith(name: string, edit: Omit<Edit, "file">): Promise<string[]> {
  const change = [{ file: "/wallet-ledger/postings.ts", ...edit }];
  const { default: walletLedger, verify } = await importWithout<
    typeof Service & typeof VerifyModule
  >([SERVICE, VERIFY], name, change);
  const world = await startWorld();
  try {
    await world.broker.destroyService("wallet-ledger");
    world.broker.createService(walletLedger(world.config));
    await world.broker.waitForServices("wallet-ledger", 60_000, 20);
    const { business, user, wallet } = await world.payer(100);
    const bank = await world.bank(business, wallet);
    const { body } = await world.withdraw(user, bank, { amount: 25 });
    await world.status(business, body.data.id, "SUCCESS");
    const db = database(world.config, "legs-test", {});
    await db.open();
    try {
      return Object.keys((await verify(db.connection)).violated);
    } finally {
      await db.close();
    }
  } finally {
    await world.stop();
  }
}

test("a payout by a ledger that books fees elsewhere is a violation", async () => {
  const violated = await violatedWith("fees", {
    find: 'systemAccount(p, "fees", currency)',
    replace: 'systemAccount(p, "outside", currency)',
  });
  expect(violated).toEqual(["postings"]);
});

test("a payout by a ledger that adds no debits is a violation", async () => {
  const violated = await violatedWith("sums", {
    find: "const sum = balance + amountMinor;",
    replace: "const sum = balance + Math.max(amountMinor, 0);",
  });
  expect(violated).toContain("balances");
});
