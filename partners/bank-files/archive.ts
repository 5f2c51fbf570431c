// The archive: an encrypted copy of every file, in a place that is not restored with the database.
// The copy is made before the file is handed over. So the archive knows of every payment that may
// be at the bank, also after the database was restored to an earlier moment: the rail then takes
// the archive's batches back into its books before it answers, and no payment is sent again.

import { type BatchRecord, type FileBooks, isTaken } from "./books.ts";
import type { Format } from "./format.ts";
import { allNames } from "./places/all-names.ts";
import type { Place } from "./places/place.ts";
import type { Sealer } from "./seal.ts";

type Kept = Omit<BatchRecord, "state" | "handingAt" | "puts">;

export interface Archive {
  /** Keeps a file; the same file may be kept again. @throws if another file has the name */
  keep(batch: BatchRecord, bytes: Buffer): Promise<void>;
  /** @throws if the archive has lost the file, or no key opens it */
  read(id: string): Promise<{ batch: Kept; bytes: Buffer }>;
  /** The ids of the batches that are in the archive and not in the books, the oldest first. */
  missing(books: FileBooks): Promise<string[]>;
}

const ENDING = ".jwe";

export function openArchive(place: Place, sealer: Sealer, format: Format, fileId: string): Archive {
  const nameOf = (id: string) => `${id}.${format.extension}${ENDING}`;
  const pattern = new RegExp(`^${fileId}-\\d{6}-\\d{6,}$`);

  async function find(id: string) {
    const sealed = await place.get(nameOf(id));
    if (!sealed) return null;
    const opened = JSON.parse((await sealer.open(sealed.toString())).toString());
    const { file, ...batch } = opened as Kept & { file: string };
    return { batch, bytes: Buffer.from(file, "base64") };
  }

  return {
    async keep({ state: _state, handingAt: _handingAt, puts: _puts, ...batch }, bytes) {
      const kept = await find(batch._id);
      if (kept?.bytes.equals(bytes)) return;
      if (kept) throw new Error(`The archive has another file ${nameOf(batch._id)}`);
      const content = JSON.stringify({ ...batch, file: bytes.toString("base64") });
      const sealed = Buffer.from(await sealer.seal(Buffer.from(content)));
      await place.put(nameOf(batch._id), sealed).catch(async (error: unknown) => {
        // Another process was quicker, and encrypted the same file to other bytes.
        const first = await find(batch._id);
        if (!first?.bytes.equals(bytes)) throw error;
      });
    },

    async read(id) {
      const kept = await find(id);
      if (!kept) throw new Error(`The archive has no file ${nameOf(id)}`);
      return kept;
    },

    async missing(books) {
      // The archive is read first: a file comes into it after its batch came into the books.
      const ending = nameOf("");
      const ids: string[] = [];
      for await (const name of allNames(place)) {
        const id = name.endsWith(ending) ? name.slice(0, -ending.length) : "";
        if (pattern.test(id)) ids.push(id);
      }
      const known = await books.batches.distinct("_id");
      return ids.filter((id) => !known.includes(id)).toSorted(byNumber);
    },
  };
}

const numberIn = (id: string) => Number(id.split("-").at(-1));
const byNumber = (a: string, b: string) => numberIn(a) - numberIn(b);

/**
 * Takes a batch of the archive into the books, as one that may be at the bank and may have been
 * put more than once. Its payments are in it, whatever the restored books say about them.
 */
export async function takeBack(
  { books, archive, format }: { books: FileBooks; archive: Archive; format: Format },
  id: string,
): Promise<void> {
  const { batch, bytes } = await archive.read(id);
  const { payments, currency } = format.read(bytes);
  try {
    await books.transaction(async (session) => {
      await books.batches.insertOne({ ...batch, state: "handing", handingAt: 0 }, { session });
      await books.payments.bulkWrite(
        payments.map(({ id: _id, amountMinor }) => ({
          updateOne: {
            filter: { _id },
            update: {
              $set: {
                shortId: format.shortId(_id),
                state: "batched",
                batch: id,
                amountMinor,
                currency,
              },
              $setOnInsert: { at: batch.closedAt },
              $unset: { sealed: "" },
            },
            upsert: true,
          },
        })),
        { session },
      );
    });
  } catch (error) {
    // Another process has taken it back.
    if (!isTaken(error)) throw error;
  }
}
