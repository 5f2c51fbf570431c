// What an operator decides about files: a held one, and an answer that changed nothing.

import type { Deps } from "./deps.ts";
import { handedOver } from "./hand-over.ts";

/** An operator's decision that does not fit the books; nothing has changed. */
export class Refused extends Error {
  override name = "Refused";
}

/**
 * Says that the bank has a held file.
 * @throws Refused if the file is not held
 */
export async function confirmHanded(deps: Deps, id: string): Promise<void> {
  if (!(await deps.books.batches.findOne({ _id: id, state: "held" }))) throw notHeld(id);
  await handedOver(deps, id);
}

/**
 * Says that the bank does not have a held file, so that it is handed over again at the next turn.
 * @throws Refused if the file is not held
 */
export async function handOverAgain(deps: Deps, id: string): Promise<void> {
  const { matchedCount } = await deps.books.batches.updateOne(
    { _id: id, state: "held" },
    { $set: { state: "written" } },
  );
  if (matchedCount === 0) throw notHeld(id);
}

const notHeld = (id: string) => new Refused(`${id} is not a file that is held`);

/**
 * Notes that an operator has seen what an answer needs a person for.
 * @throws Refused if there is no such answer
 */
export async function noteSeen({ books }: Deps, name: string): Promise<void> {
  const { matchedCount } = await books.answers.updateMany(
    { name, $or: [{ problem: { $exists: true } }, { warning: { $exists: true } }] },
    { $set: { isSeen: true } },
  );
  if (matchedCount === 0) throw new Refused(`No answer ${name} needs a person`);
}
