// medici (npm), double entry on MongoDB, on payrail's mongod, in two ways of its README: plain
// entries, and entries with a guarded balance (a transaction, the balance, the write lock last). In
// its favour: an entry has no idempotency key; a plain entry is three commands without a
// transaction and without a check of the balance, its legs written with w: 1; and the balance cache
// is off, because a cached balance reads the entries of all wallets since.

import { Book, type IOptions, initModels, mongoTransaction, syncIndexes } from "medici";
import mongoose from "mongoose";
import { FUNDS, POST } from "../support/funded.ts";
import { pick, rateOf } from "../support/rate.ts";
import { expectBooks, type Peer } from "./peer.ts";

const WALLETS_PER_ENTRY = 1_000;
const DEBIT = POST.amountMinor + POST.feesMinor;
const LEGS = 3;
const DURABLE = { writeConcern: { w: "majority", j: true } } as const;

type Post = (book: Book, wallet: string) => Promise<unknown>;

/**
 * Both ways, each with its own book.
 * @param url of a database for medici alone
 */
export async function openMedici(url: string, wallets: string[]): Promise<Peer[]> {
  // medici uses only mongoose's default connection; no other code uses it.
  await mongoose.connect(url, { w: "majority", journal: true });
  await initModels();
  await syncIndexes();
  return [
    await openBook("medici, plain entries", wallets, enter),
    await openBook("medici, guarded balance", wallets, enterGuarded),
  ];
}

export async function closeMedici(): Promise<void> {
  await mongoose.connection.close();
}

async function openBook(name: string, wallets: string[], post: Post): Promise<Peer> {
  const book = new Book(name, { precision: 0, balanceSnapshotSec: 0 });
  await fund(book, wallets);
  let posts = 0;
  return {
    name,
    rate: ({ callers, hot }, ms) =>
      rateOf(callers, ms, async () => {
        await post(book, hot ? (wallets[0] as string) : pick(wallets));
        posts += 1;
      }),
    verify: () => verifyBook(book, wallets.length, posts),
  };
}

function enter(book: Book, wallet: string, options?: IOptions): Promise<unknown> {
  return book
    .entry("Payout")
    .debit(accountOf(wallet), DEBIT)
    .credit("Clearing:ACH", POST.amountMinor)
    .credit("Fees", POST.feesMinor)
    .commit(options);
}

/** After a conflict the driver repeats the transaction for up to two minutes, then throws. */
function enterGuarded(book: Book, wallet: string): Promise<void> {
  return mongoTransaction(async (session) => {
    await enter(book, wallet, { session });
    const { balance } = await book.balance({ account: accountOf(wallet) }, { session });
    if (balance < 0) throw new Error("Not enough balance in wallet");
    await book.writelockAccounts([accountOf(wallet)], { session });
  }, DURABLE);
}

async function fund(book: Book, wallets: string[]): Promise<void> {
  for (let i = 0; i < wallets.length; i += WALLETS_PER_ENTRY) {
    const funded = wallets.slice(i, i + WALLETS_PER_ENTRY);
    const entry = book.entry("Funding").debit("World", FUNDS * funded.length);
    for (const wallet of funded) entry.credit(accountOf(wallet), FUNDS);
    await entry.commit();
  }
}

async function verifyBook(book: Book, wallets: number, posts: number): Promise<void> {
  const fundings = Math.ceil(wallets / WALLETS_PER_ENTRY);
  const journals = mongoose.connection.collection("medici_journals");
  const all = await book.balance({});
  const { balance } = await book.balance({ account: "Wallets" });
  expectBooks(book.name, {
    "journal entries": [await journals.countDocuments({ book: book.name }), fundings + posts],
    legs: [all.notes, fundings + wallets + LEGS * posts],
    "cents over all accounts": [all.balance, 0],
    "cents in wallets": [balance, wallets * FUNDS - posts * DEBIT],
  });
}

function accountOf(wallet: string): string {
  return `Wallets:${wallet}`;
}
