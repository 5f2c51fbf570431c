// Verification detects damage of every kind: after a whole system has run on a database, the test
// makes more than two hundred damages to it, in an order from a seed, and a rule must name each of
// them. SEED in the environment repeats a run.

import type { VerifyReport } from "../../../tools/verify/findings.ts";
import { INDEXES, isDescribedBy } from "../../../tools/verify/indexes.ts";
import { verify } from "../../../tools/verify/verify.ts";
import type { Damage } from "../../support/damage.ts";
import { type Lived, livedIn } from "../../support/lived.ts";
import { type Random, seeded } from "../../support/traffic.ts";
import { catalogue } from "./damages.ts";

let lived: Lived;
beforeAll(async () => {
  lived = await livedIn();
});
afterAll(() => lived?.stop());

test("the table of indexes has every deciding index, as the services create it", async () => {
  const wrong: string[] = [];
  for (const { name } of await lived.db.listCollections().toArray()) {
    const wanted = INDEXES[name] ?? [];
    const found = await lived.db.collection(name).indexes();
    const deciding = found.filter(
      ({ unique, sparse, partialFilterExpression, expireAfterSeconds }) =>
        unique || sparse || partialFilterExpression || expireAfterSeconds !== undefined,
    );
    for (const index of deciding) {
      if (wanted.some((each) => isDescribedBy(each, index))) continue;
      wrong.push(`${name}: ${JSON.stringify(index)} is not in the table`);
    }
    for (const each of wanted) {
      if (found.some((index) => isDescribedBy(each, index))) continue;
      wrong.push(`${name}: the services make no ${JSON.stringify(each)}`);
    }
  }
  expect(wrong).toEqual([]);
});

test("every damage is detected and named by its rule", async () => {
  expect((await verify(lived.connection)).violations).toEqual([]);
  const random = seeded();
  const damages = shuffled(await catalogue(lived, random), random);
  expect(damages.length).toBeGreaterThan(200);
  const unseen: string[] = [];
  for (const group of apart(damages)) {
    const missed = notNamed(group, await reportOn(group));
    // Another damage of the group may hide it, so it is tried alone.
    for (const damage of missed) {
      const [still] = notNamed([damage], await reportOn([damage]));
      if (still) unseen.push(still.name);
    }
  }
  expect(unseen).toEqual([]);
  expect((await verify(lived.connection)).violations).toEqual([]);
});

function shuffled<T>(list: T[], random: Random): T[] {
  const rest = [...list];
  return list.map(() => rest.splice(random.below(rest.length), 1)[0] as T);
}

/** Groups of damages in different places, so that one verification can tell them apart. */
function apart(damages: Damage[]): Damage[][] {
  const groups: Damage[][] = [];
  for (const damage of damages) {
    const free = groups.find((group) => group.every(({ place }) => place !== damage.place));
    if (free) free.push(damage);
    else groups.push([damage]);
  }
  return groups;
}

async function reportOn(group: Damage[]): Promise<VerifyReport> {
  const undos: (() => Promise<unknown>)[] = [];
  try {
    for (const damage of group) undos.push(await damage.make());
    return await verify(lived.connection);
  } finally {
    for (const undo of undos.toReversed()) await undo();
  }
}

function notNamed(group: Damage[], { violations }: VerifyReport): Damage[] {
  return group.filter(
    ({ rules, words }) =>
      !violations.some(
        ({ rule, detail }) =>
          (rules as string[]).includes(rule) && words.every((word) => detail.includes(word)),
      ),
  );
}
