// Closes batches and writes their files. Invariants: a payment is in at most one batch, and a
// batch's payments never change, because one transaction inserts the batch and takes its payments.
// A file is a function of its batch, so a process that takes over writes the same bytes.

import type { BatchRecord, PaymentRecord, SealedFields } from "./books.ts";
import { isTaken } from "./books.ts";
import type { Deps } from "./deps.ts";
import { each } from "./each.ts";
import type { FilePayment } from "./format.ts";

/** The bounds of a file: the number of its payments, and their sum in minor units. */
const PAYMENTS_AT_MOST = 5_000;
const SUM_AT_MOST_MINOR = 999_999_999_999;
/** After this time a cut-off is missed, and its payments wait for the next one. */
const CLOSED_WITHIN_MS = 30 * 60_000;

/** Closes the batches of the last cut-off, if it is not missed. */
export async function closeBatches(deps: Deps): Promise<void> {
  const now = deps.now();
  const cutOff = deps.calendar.lastCutOff(now);
  if (now - cutOff > CLOSED_WITHIN_MS) return;
  while (await closeBatch(deps, cutOff)) await deps.reached("closed");
}

/** @returns whether there was a batch to close */
async function closeBatch(deps: Deps, cutOff: number): Promise<boolean> {
  const { books } = deps;
  try {
    return await books.transaction(async (session) => {
      const taken = await readTaken(deps, cutOff, session);
      const [first] = taken;
      if (!first) return false;
      const [last] = await books.batches
        .find({}, { session })
        .sort({ number: -1 })
        .limit(1)
        .toArray();
      const batch = newBatch(deps, cutOff, taken, last);
      await books.batches.insertOne(batch, { session });
      const { modifiedCount } = await books.payments.updateMany(
        { _id: { $in: taken.map(({ _id }) => _id) }, state: "waiting" },
        { $set: { state: "batched", batch: batch._id } },
        { session },
      );
      if (modifiedCount !== taken.length) throw new Error("A payment left while its batch closed");
      return true;
    });
  } catch (error) {
    // Another process has closed the batch of this number.
    if (isTaken(error)) return false;
    throw error;
  }
}

type Taken = Pick<PaymentRecord, "_id"> & Required<Pick<PaymentRecord, "amountMinor" | "currency">>;

/** The oldest payments that wait since the cut-off, within the bounds of a file. */
async function readTaken(
  { books }: Deps,
  cutOff: number,
  session: Parameters<Parameters<Deps["books"]["transaction"]>[0]>[0],
): Promise<Taken[]> {
  const projection = { amountMinor: 1, currency: 1 };
  const waiting = (await books.payments
    .find({ state: "waiting", at: { $lte: cutOff } }, { session, projection })
    .sort({ at: 1 })
    .limit(PAYMENTS_AT_MOST)
    .toArray()) as Taken[];
  let sum = 0;
  const end = waiting.findIndex(({ amountMinor }) => {
    sum += amountMinor;
    return sum > SUM_AT_MOST_MINOR;
  });
  return end === -1 ? waiting : waiting.slice(0, Math.max(1, end));
}

function newBatch(
  { settings, calendar, now }: Deps,
  cutOff: number,
  taken: Taken[],
  last: BatchRecord | undefined,
): BatchRecord {
  const number = (last?.number ?? 0) + 1;
  const closedAt = now();
  return {
    _id: batchId(settings.fileId, number, closedAt),
    number,
    state: "closed",
    puts: 0,
    closedAt,
    settlesOn: calendar.settlementDay(cutOff),
    paymentsBefore: last ? last.paymentsBefore + last.count : 0,
    count: taken.length,
    amountMinor: taken.reduce((sum, { amountMinor }) => sum + amountMinor, 0),
    currency: (taken[0] as Taken).currency,
  };
}

/** At most 20 characters: the fileId, the day (UTC) and the number. */
function batchId(fileId: string, number: number, closedAt: number): string {
  const day = new Date(closedAt).toISOString().slice(2, 10).replaceAll("-", "");
  return `${fileId}-${day}-${String(number).padStart(6, "0")}`;
}

/** Writes the files of closed batches into the archive. */
export async function writeFiles(deps: Deps): Promise<void> {
  const closed = deps.books.batches.find({ state: "closed" }).sort({ number: 1 });
  await each(closed, (batch) => writeFile(deps, batch));
}

async function writeFile(deps: Deps, batch: BatchRecord): Promise<void> {
  const { books, format, archive } = deps;
  const { _id: id, number, closedAt, settlesOn, paymentsBefore } = batch;
  const payments = await readPayments(deps, id);
  const bytes = format.write({ id, number, closedAt, settlesOn, paymentsBefore, payments });
  // Invariant: the file that leaves says what the books say, as a reader of it finds.
  const found = format.read(bytes);
  const isRight =
    found.id === id &&
    found.amountMinor === batch.amountMinor &&
    found.payments.length === batch.count;
  if (!isRight) throw new Error(`The file of ${id} does not say what its batch says`);
  await archive.keep(batch, bytes);
  await deps.reached("archived");
  await books.batches.updateOne({ _id: id, state: "closed" }, { $set: { state: "written" } });
  await deps.reached("written");
}

/** The payments of a batch, in the order of their ids. */
async function readPayments({ books, sealer }: Deps, batch: string): Promise<FilePayment[]> {
  const found = await books.payments.find({ batch }).sort({ _id: 1 }).toArray();
  return Promise.all(
    found.map(async ({ _id: id, amountMinor, currency, sealed }) => {
      const opened = JSON.parse((await sealer.open(sealed as string)).toString()) as SealedFields;
      return { ...opened, id, amountMinor, currency } as FilePayment;
    }),
  );
}
