// Hands files over to the bank. A process may die between the hand-over and the record of it, and
// then no book says whether the bank has the file. What happens next is the bank agreement's
// (settings.repeats): a bank that refuses a repeated file gets it again, under the same name and
// message id; for any other bank the batch is held until its answers, or an operator, say what it
// has.

import type { BatchRecord } from "./books.ts";
import type { Deps } from "./deps.ts";
import { PlaceError } from "./places/place.ts";

/** A hand-over that began so many turns ago is no longer under way in another process. */
const GIVEN_UP_AFTER_TURNS = 5;

export function fileName({ format }: Deps, id: string): string {
  return `${id}.${format.extension}`;
}

/** Hands over every file that is written, and settles what became of interrupted hand-overs. */
export async function handOverFiles(deps: Deps): Promise<void> {
  const { books, settings, now } = deps;
  const givenUpBefore = now() - GIVEN_UP_AFTER_TURNS * settings.turnEveryMs;
  const open = books.batches.find({ state: { $in: ["written", "handing"] } }).sort({ number: 1 });
  for await (const batch of open) {
    if (batch.state === "written") await handOver(deps, batch);
    else if ((batch.handingAt ?? 0) < givenUpBefore) await resume(deps, batch);
  }
}

/**
 * After an interrupted hand-over. Invariant: at a bank that pays repeated files nothing is put here,
 * because the bank may take the first file away at any moment.
 */
async function resume(deps: Deps, batch: BatchRecord): Promise<void> {
  const { _id } = batch;
  if (deps.settings.repeats === "refused") return handOver(deps, batch);
  const [there, { bytes }] = await Promise.all([
    deps.out.get(fileName(deps, _id)),
    deps.archive.read(_id),
  ]);
  if (there?.equals(bytes)) return handedOver(deps, _id);
  if (there) throw new Error(`Another file has the name ${fileName(deps, _id)}`);
  await deps.books.batches.updateOne({ _id, state: "handing" }, { $set: { state: "held" } });
  deps.log.error("A file may be at the bank or not, and is held", { file: fileName(deps, _id) });
}

async function handOver(deps: Deps, { _id, state }: BatchRecord): Promise<void> {
  const { books, archive, out, now } = deps;
  const { bytes } = await archive.read(_id);
  const begun = await books.batches.updateOne(
    { _id, state },
    { $set: { state: "handing", handingAt: now() } },
  );
  if (begun.matchedCount === 0) return;
  await deps.reached("handing");
  try {
    await out.put(fileName(deps, _id), bytes);
  } catch (error) {
    // The place says that nothing has changed there, so a repetition cannot be a second file.
    if (error instanceof PlaceError && error.kind === "failed") {
      await books.batches.updateOne({ _id, state: "handing" }, { $set: { state: "written" } });
    }
    throw error;
  }
  await deps.reached("put");
  await handedOver(deps, _id);
}

/** Stores that the bank has the file; from then on the rail's database needs no account numbers. */
export async function handedOver({ books, log, reached }: Deps, id: string): Promise<void> {
  await books.batches.updateOne({ _id: id }, { $set: { state: "handed" } });
  await books.payments.updateMany({ batch: id }, { $unset: { sealed: "" } });
  log.info("A file is at the bank", { batch: id });
  await reached("handed");
}
