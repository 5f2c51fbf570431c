// Reads the bank's answers. Invariants: the rail applies a part of a file in one transaction with
// the record that it has read the file, so a repeated file changes nothing. A part that changes
// nothing is kept in the record and tried again, because another answer may make it right, until it
// is applied or an operator has seen it. A file that cannot be read stops no other one.

import { createHash } from "node:crypto";
import { type AnswerRecord, type HeldPart, isTaken } from "./books.ts";
import type { Deps } from "./deps.ts";
import { fileName } from "./hand-over.ts";
import { findNames } from "./names.ts";
import { type Applied, applyParts } from "./parts.ts";
import { allNames } from "./places/all-names.ts";

/** Warnings of one answer that operators read. */
const WARNINGS_AT_MOST = 5;
const UPSERT = { upsert: true } as const;

/** What this process has read: names of files that are applied, and hashes of unreadable ones. */
export type Read = Set<string>;

/** Reads the files that are new in the bank's folder, and tries held parts again. */
export async function readAnswers(deps: Deps, read: Read): Promise<void> {
  for await (const name of allNames(deps.answers)) {
    if (read.has(name)) continue;
    const bytes = await get(deps, name);
    if (bytes && (await readAnswer(deps, name, bytes, read))) read.add(name);
  }
  const held = { "held.0": { $exists: true }, isSeen: { $exists: false } };
  for await (const { _id } of deps.books.answers.find(held)) await tryAgain(deps, _id);
}

/**
 * @returns null if the file is gone, or its problem is noted because it cannot be got
 * @throws PlaceError if the place gives nothing at all
 */
async function get(
  { answers: place, books, log, now }: Deps,
  name: string,
): Promise<Buffer | null> {
  try {
    const bytes = await place.get(name);
    await books.answers.deleteOne({ _id: name });
    return bytes;
  } catch (error) {
    // If the place answers, the fault is the file's.
    await place.names(name);
    const { message: problem } = error as Error;
    const record = { $setOnInsert: { name, at: now(), problem } };
    const { upsertedCount } = await books.answers.updateOne({ _id: name }, record, UPSERT);
    if (upsertedCount > 0)
      log.error("An answer of the bank cannot be got", { file: name, problem });
    return null;
  }
}

/** @returns whether the answer is applied */
async function readAnswer(deps: Deps, name: string, bytes: Buffer, read: Read): Promise<boolean> {
  const { books, log, now } = deps;
  const _id = createHash("sha256").update(bytes).digest("hex");
  const known = await books.answers.findOne({ _id });
  if (known && known.problem === undefined) return true;
  if (read.has(_id)) return false;
  const answer = await deps.readAnswer(bytes).catch(async (error: Error) => {
    read.add(_id);
    if (known) return null;
    const { message: problem } = error;
    const record = { name, at: now(), size: bytes.length, problem };
    const names = await findNames(deps, bytes);
    await books.answers.updateOne({ _id }, { $setOnInsert: { ...record, names } }, UPSERT);
    log.error("An answer of the bank cannot be read and changes nothing", { file: name, problem });
    return null;
  });
  if (!answer) return false;
  const applied = await inBooks(() =>
    books.transaction(async (session) => {
      const found = await applyParts(deps, answer.parts, session);
      // A reader of an earlier version could not read it.
      await books.answers.deleteOne({ _id, problem: { $exists: true } }, { session });
      const passedOver = answer.passedOver + found.passedOver;
      const record = { _id, name, at: now(), ours: found.ours, passedOver, ...noted(found) };
      await books.answers.insertOne(record, { session });
      return found;
    }),
  );
  // Another process applies the file.
  if (!applied) return false;
  await forgetBeginning(deps, name, bytes);
  const { ours, held } = applied;
  const passedOver = answer.passedOver + applied.passedOver;
  log.info("An answer of the bank is read", { file: name, ours, passedOver });
  for (const each of held) logHeld(deps, name, each);
  await tellArrived(deps, applied);
  await deps.reached("applied");
  return true;
}

async function inBooks<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (isTaken(error)) return null;
    throw error;
  }
}

/** What a record keeps of the parts that were applied or held. */
function noted({ held, names, warnings }: Applied): Partial<AnswerRecord> {
  const more = warnings.length - WARNINGS_AT_MOST;
  const some = warnings.slice(0, WARNINGS_AT_MOST).join("; ");
  return {
    ...(held.length > 0 && { held, names }),
    ...(warnings.length > 0 && { warning: more > 0 ? `${some}; and ${more} more` : some }),
  };
}

/** An unreadable file of the same name was the beginning of this one: its upload was under way. */
async function forgetBeginning({ books }: Deps, name: string, bytes: Buffer): Promise<void> {
  const unreadable = { name, problem: { $exists: true }, size: { $lt: bytes.length } };
  for await (const { _id, size } of books.answers.find(unreadable)) {
    const beginning = createHash("sha256").update(bytes.subarray(0, size)).digest("hex");
    if (beginning === _id) await books.answers.deleteOne({ _id });
  }
}

/** Tries the parts of an answer again that have changed nothing. */
async function tryAgain(deps: Deps, _id: string): Promise<void> {
  const { books, log } = deps;
  const applied = await books.transaction(async (session) => {
    const record = await books.answers.findOne({ _id }, { session });
    const parts = (record?.held ?? []).map(({ part }) => part);
    const found = await applyParts(deps, parts, session);
    if (!record || found.held.length === parts.length) return null;
    const { held: _held, names = [], warning, ...rest } = record;
    // A payment that an operator has decided is not held again.
    found.names = found.names.filter((name) => names.includes(name));
    if (warning !== undefined) found.warnings.unshift(warning);
    await books.answers.replaceOne({ _id }, { ...rest, ...noted(found) }, { session });
    return found;
  });
  if (!applied) return;
  log.info("Held parts of an answer are applied", { answer: _id, left: applied.held.length });
  await tellArrived(deps, applied);
}

function logHeld({ log }: Deps, file: string, { part, problem }: HeldPart): void {
  log.error("A part of an answer changes nothing", { file, where: part.where, problem });
}

async function tellArrived(deps: Deps, { arrived }: Applied): Promise<void> {
  for (const id of arrived) {
    deps.log.info("An answer shows that a file is at the bank", { file: fileName(deps, id) });
    await deps.reached("handed");
  }
}
