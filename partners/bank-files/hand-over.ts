// Hands files over to the bank. A process may die between the hand-over and the record of it, and
// then no book says whether the bank has the file. What happens next is the bank agreement's
// (settings.repeats): a bank that refuses a repeated file gets it again, under the same name and
// message id; for any other bank the batch is held until its answers, or an operator, say what it
// has. The books count how often a file was put, because the bank's refusal of a repetition is no
// answer to the first file.

import type { BatchRecord } from "./books.ts";
import type { Deps } from "./deps.ts";
import { each } from "./each.ts";
import { PlaceError } from "./places/place.ts";

/** A hand-over that began so many turns ago puts nothing any more. */
const GIVEN_UP_AFTER_TURNS = 5;
/** After that, a process that has passed its last check has long put the file. */
const OVER_AFTER_MS = 600_000;

export function fileName({ format }: Deps, id: string): string {
  return `${id}.${format.extension}`;
}

/** Hands over every file that is written, and settles what became of interrupted hand-overs. */
export async function handOverFiles(deps: Deps): Promise<void> {
  const { books, now } = deps;
  const open = books.batches.find({ state: { $in: ["written", "handing"] } }).sort({ number: 1 });
  await each(open, async (batch) => {
    if (batch.state === "written") await handOver(deps, batch);
    else if (now() > givenUpAt(deps, batch)) await resume(deps, batch);
  });
}

/** From then on a hand-over puts nothing, so another process resumes it. Epoch ms. */
function givenUpAt({ settings }: Deps, { handingAt = 0 }: BatchRecord): number {
  return handingAt + GIVEN_UP_AFTER_TURNS * settings.turnEveryMs;
}

/** Until then a process that was stopped in a hand-over may still put the file. Epoch ms. */
export function mayBePutUntil(deps: Deps, batch: BatchRecord): number {
  return givenUpAt(deps, batch) + OVER_AFTER_MS;
}

/**
 * After an interrupted hand-over. Invariant: at a bank that pays repeated files nothing is put
 * here, because the bank may take the first file away at any moment.
 */
async function resume(deps: Deps, batch: BatchRecord): Promise<void> {
  const { _id, handingAt } = batch;
  if (deps.settings.repeats === "refused") return handOver(deps, batch);
  const [there, { bytes }] = await Promise.all([
    deps.out.get(fileName(deps, _id)),
    deps.archive.read(_id),
  ]);
  if (there?.equals(bytes)) return handedOver(deps, _id, "handing");
  if (there) throw new Error(`Another file has the name ${fileName(deps, _id)}`);
  const { matchedCount } = await deps.books.batches.updateOne(
    { _id, state: "handing", handingAt },
    { $set: { state: "held" } },
  );
  if (matchedCount === 0) return;
  deps.log.error("A file may be at the bank or not, and is held", { file: fileName(deps, _id) });
}

async function handOver(deps: Deps, batch: BatchRecord): Promise<void> {
  const { books, archive, out, now } = deps;
  const { _id, state, handingAt: before = null, puts } = batch;
  const { bytes } = await archive.read(_id);
  const handingAt = now();
  // The batch as it was read, so that of two processes one puts, and each put is counted.
  const asRead = { _id, state, handingAt: before as number, puts: (puts ?? null) as number };
  const begun = await books.batches.updateOne(
    // A payment that has ended is never sent.
    { ...asRead, hasEnds: { $exists: false } },
    { $set: { state: "handing", handingAt, puts: (puts ?? 1) + 1 } },
  );
  if (begun.matchedCount === 0) return;
  const mine = { _id, state: "handing" as const, handingAt };

  /**
   * A process that was stopped meanwhile puts no file, because an operator may hold the batch, or
   * another process may have put it.
   */
  async function requireInTime(): Promise<void> {
    const isMine = (await books.batches.findOne(mine)) !== null;
    if (isMine && now() <= givenUpAt(deps, { ...batch, handingAt })) return;
    throw new PlaceError("failed", `The hand-over of ${fileName(deps, _id)} took too long`);
  }
  await deps.reached("handing");
  try {
    await requireInTime();
    await out.put(fileName(deps, _id), bytes, requireInTime);
  } catch (error) {
    // The place says that nothing has changed there, so a repetition cannot be a second file.
    if (error instanceof PlaceError && error.kind === "failed") {
      await books.batches.updateOne(mine, {
        ...{ $set: { state, ...(puts !== undefined && { puts }) } },
        ...(puts === undefined && { $unset: { puts: "" } }),
      });
    }
    throw error;
  }
  await deps.reached("put");
  await handedOver(deps, _id, "handing");
}

/**
 * Stores that the bank has the file; from then on the rail's database needs no account numbers.
 * @param from the state in which the batch is; in another one it stays, because an answer or an
 *   operator was quicker
 */
export async function handedOver(
  { books, log, reached }: Deps,
  _id: string,
  from: "handing" | "held",
): Promise<void> {
  const { matchedCount } = await books.batches.updateOne(
    { _id, state: from },
    { $set: { state: "handed" }, $unset: { problem: "", handingAt: "" } },
  );
  if (matchedCount === 0) return;
  await books.payments.updateMany({ batch: _id }, { $unset: { sealed: "" } });
  log.info("A file is at the bank", { batch: _id });
  await reached("handed");
}
