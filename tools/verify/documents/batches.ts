// Batches: the files of rails that pay by files, as the rails read them back. A payout is accepted
// before its rail takes it, and its file is closed before it succeeds. So payouts are read after
// the files that pay them, and a payout that succeeded well before the verification began has a
// file.

import type { Rail, RailBatch } from "../../../partners/types.ts";
import { CLOCKS_DIFFER_BY_MS } from "../../../shared/clock.ts";
import { type Books, inBatches, readAll, select } from "../books.ts";
import { openSeen } from "../seen.ts";

interface Payout {
  _id: string;
  rail?: string;
  amountMinor: number;
  currency: string;
}

const COLLECTION = "payouts";

/** Checks the files of the given rails, and that each payout is in exactly one of them. */
export async function verifyBatches(books: Books, rails: readonly Rail[] = []): Promise<void> {
  const seen = openSeen();
  try {
    for (const rail of rails) {
      if (!rail.batches) continue;
      for await (const batch of rail.batches()) {
        books.findings.count("batches");
        await verifyBatch(books, rail.name, batch);
        for (const { id } of batch.payments) {
          if (seen.add(rail.name, id)) continue;
          books.findings.violation("batches", `Payout ${id} is twice in the files of ${rail.name}`);
        }
      }
      await verifyPaid(books, rail.name, (id) => seen.has(rail.name, id));
    }
  } finally {
    seen.close();
  }
}

async function verifyBatch(
  books: Books,
  rail: string,
  { id: file, currency, amountMinor, payments }: RailBatch,
): Promise<void> {
  const wrong = (what: string) => books.findings.violation("batches", `The file ${file} ${what}`);
  const sum = payments.reduce((total, payment) => total + payment.amountMinor, 0);
  if (sum !== amountMinor) wrong(`says ${amountMinor} in sum, and its payments are ${sum}`);
  for await (const some of inBatches(eachOf(payments))) {
    const ids = some.map(({ id }) => id);
    const fields = { rail: 1, amountMinor: 1, currency: 1 };
    const payouts = await readAll<Payout>(books, COLLECTION, ids, fields);
    for (const { id, amountMinor: paidMinor } of some) {
      const payout = payouts.get(id);
      if (!payout) wrong(`pays ${id}, and there is no such payout`);
      else if (payout.rail !== rail) wrong(`pays ${id}, which is not a payout of ${rail}`);
      else if (payout.amountMinor !== paidMinor || payout.currency !== currency) {
        wrong(
          `pays ${paidMinor} ${currency} for ${id}, not ${payout.amountMinor} ${payout.currency}`,
        );
      }
    }
  }
}

async function* eachOf<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

/** Checks that the payouts that succeeded are in a file, except those that an operator decided. */
async function verifyPaid(
  books: Books,
  rail: string,
  isInFile: (id: string) => boolean,
): Promise<void> {
  const before = Date.now() - CLOCKS_DIFFER_BY_MS;
  const succeeded = books.find(
    COLLECTION,
    {
      rail,
      status: "SUCCESS",
      decidedBy: { $exists: false },
      states: { $elemMatch: { status: "SUCCESS", at: { $lt: before } } },
    },
    { projection: select("_id") },
  );
  for await (const { _id } of succeeded) {
    if (isInFile(String(_id))) continue;
    books.findings.violation("batches", `Payout ${_id} succeeded, and no file of ${rail} pays it`);
  }
}
