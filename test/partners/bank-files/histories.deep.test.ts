// Random histories of a rail and a bank as a model: no payment that the bank has paid is given
// back, none is paid twice, and each one ends as at the bank or is shown to a person. Each
// safeguard is removed once, and the histories must notice it.

import type { bankFilesRail } from "../../../partners/bank-files/rail.ts";
import { CONTROL, type Edit, importWithout } from "../../../tools/simulate/ablate.ts";
import { playHistory } from "../../support/bank/history.ts";
import { startPlainBank } from "../../support/bank/plain-bank.ts";
import { seeded } from "../../support/traffic.ts";

const HISTORIES = 200;
/** Histories of a safeguard's known seed, which break a rule without it. */
const KNOWN_HISTORIES = 20;
/** Random histories after those, for a release in which the known seed plays another history. */
const ABLATED_AT_MOST = 600;
const TIMEOUT_MS = 600_000;

/** @returns the first broken rule; null after all histories without one */
async function play(
  count: number,
  makeRail?: typeof bankFilesRail,
  seed?: number,
): Promise<string | null> {
  const random = seeded(seed);
  const plain = await startPlainBank({
    makeRail,
    settings: { returnChargeAtMostMinor: 15 },
  });
  try {
    for (let i = 0; i < count; i++) {
      try {
        await playHistory(plain, random);
      } catch (error) {
        return `history ${i}: ${(error as Error).stack}`;
      }
    }
    return null;
  } finally {
    await plain.stop();
  }
}

const edit = (file: string, find: string, replace: string): Edit => ({
  ...{ file: `partners/bank-files/${file}`, find, replace },
});

/** Each safeguard with the edit that removes it, and a seed that notices that soon. */
const SAFEGUARDS: [string, Edit, number][] = [
  ["the count of puts", edit("ends.ts", "return puts === 1;", "return true;"), 1018],
  [
    "the need of a definite code",
    edit("ends.ts", 'return state === "rejected" && wasPutOnce', "return wasPutOnce"),
    1018,
  ],
  [
    "bookings before reports",
    edit("ends.ts", 'payment.state === "batched" || payment.settledBy !== undefined;', "true;"),
    1000,
  ],
  ["the count of debits", edit("ends.ts", 'misfit("settled", open - 1)', "undefined"), 1],
  ["the references of bookings", edit("ends.ts", "same === -1 ? likely : same", "likely"), 7],
  ["the books' word on what is ours", edit("parts.ts", "if (count === 0) continue;", ""), 1],
  ["the bound of a charge", edit("ours.ts", "lackingMinor <= chargeMinor", "true"), 1000],
  ["the holds of unreadable files", edit("names.ts", "return [...found];", "return [];"), 3],
  ["the holds of parts", edit("parts.ts", "names.add(name)", "names.delete(name)"), 1000],
  ["the word that holds a file", edit("draft.ts", "batch.problem ??= problem;", ""), 1018],
  [
    "the fence of a late put",
    edit("hand-over.ts", "if (isMine && now()", "if (now() >= 0 || now()"),
    2,
  ],
  [
    "another try of held parts",
    edit("answers.ts", "await tryAgain(deps, _id)", "await Promise.resolve(_id)"),
    4,
  ],
];

test(
  `${HISTORIES} histories break no rule`,
  async () => {
    expect(await play(HISTORIES)).toBeNull();
  },
  TIMEOUT_MS,
);

const without = async (name: string, edits: Edit[]) => {
  const url = new URL("../../../partners/bank-files/rail.ts", import.meta.url);
  const module = await importWithout<{ bankFilesRail: typeof bankFilesRail }>([url], name, edits);
  return module.bankFilesRail;
};

test(
  "a rail that is loaded like an ablation, with all safeguards, breaks no rule",
  async () => {
    expect(await play(50, await without(CONTROL.name, CONTROL.edits))).toBeNull();
  },
  TIMEOUT_MS,
);

test.each(SAFEGUARDS)(
  "histories notice that %s is missing",
  async (name, change, seed) => {
    const makeRail = await without(name.replaceAll(/\W/g, "-"), [change]);
    const known = await play(KNOWN_HISTORIES, makeRail, seed);
    expect(known ?? (await play(ABLATED_AT_MOST, makeRail))).toMatch(/^history/);
  },
  TIMEOUT_MS,
);
