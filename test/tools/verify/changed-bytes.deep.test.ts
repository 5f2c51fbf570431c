// Verification finds a changed byte in any field of any kind of block, and names the block.

import { packBlock } from "../../../services/wallet-ledger/block-format.ts";
import type { Block, StoredBlock } from "../../../services/wallet-ledger/journal.model.ts";
import { verifyLedger } from "../../../tools/verify/verify.ts";
import { writeTestJournal } from "../../support/test-journal.ts";

const books = await writeTestJournal();
const { p, journal, blocks } = books;
afterAll(() => books.close());

type Path = (string | number)[];

/** Every path in a block that leads to a value. */
function placesIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [path];
  return Object.entries(value).flatMap(([key, each]) => placesIn(each, [...path, key]));
}

/** Replaces a block by another one, also with another `_id`. */
async function swap(old: StoredBlock, other: StoredBlock): Promise<void> {
  await blocks.deleteOne({ _id: old._id as never });
  await blocks.insertOne(other as never);
}

/**
 * Flips one bit of a number (in its second byte), or of one character in the middle of a string.
 */
function flipped(value: unknown): unknown {
  if (typeof value === "number") return value % 2_048 < 1_024 ? value + 1_024 : value - 1_024;
  const text = String(value);
  const middle = Math.floor(text.length / 2);
  const character = String.fromCharCode((text.charCodeAt(middle) || 48) ^ 1);
  return text.slice(0, middle) + character + text.slice(middle + 1);
}

function flippedAt(block: StoredBlock, path: Path): StoredBlock {
  const copy = structuredClone(block);
  let place = copy as unknown as Record<string, unknown>;
  for (const key of path.slice(0, -1)) place = place[key] as Record<string, unknown>;
  const last = path.at(-1) as string;
  place[last] = flipped(place[last]);
  return copy;
}

test.each([["funding"], ["debit"], ["reversal"], ["decline"], ["disabling"], ["enabling"]])(
  "a changed byte in any field of an old block is a violation: %s",
  async (kind) => {
    const block: StoredBlock = packBlock(journal.get(kind) as Block);
    const places = placesIn(block);
    expect(places.length).toBeGreaterThanOrEqual(9);
    for (const path of places) {
      const tampered = flippedAt(block, path);
      await swap(block, tampered);
      const report = await verifyLedger(books.connection);
      await swap(tampered, block);
      // A block with another number or partition is found in its new place.
      const isMoved = tampered.p !== p || tampered.n !== block.n;
      const name = isMoved ? `block ${tampered.p}:${tampered.n}` : `block ${p}:${block.n}`;
      const named = report.violations.filter(({ detail }) => detail.includes(name));
      expect({ path, ok: report.ok, isNamed: named.length > 0 }).toEqual({
        path,
        ok: false,
        isNamed: true,
      });
    }
    expect((await verifyLedger(books.connection)).ok).toBe(true);
  },
);
