// Damages to the indexes of a database: one for each index that enforces a rule.

import type { mongo } from "mongoose";
import { type Described, INDEXES } from "../../../tools/verify/indexes.ts";
import type { Damage } from "../../support/damage.ts";
import type { Lived } from "../../support/lived.ts";
import type { Random } from "../../support/traffic.ts";

/** One damage for each index that enforces a rule: the index is missing, or has wrong options. */
export async function damagedIndexes({ db }: Lived, random: Random): Promise<Damage[]> {
  const damages: Damage[] = [];
  for (const [name, wanted] of Object.entries(INDEXES)) {
    const found = (await db.collection(name).indexes()) as (Described & { name: string })[];
    for (const { key } of wanted) {
      const text = JSON.stringify(key);
      const index = found.find((each) => JSON.stringify(each.key) === text);
      if (!index) throw new Error(`${name} has no index ${text}`);
      const [damage, other] = random.oneOf(othersThan(index));
      damages.push({
        name: `${name} ${text}: ${damage}`,
        place: `an index of ${name}`,
        rules: ["indexes"],
        words: [name, text],
        make: () => replaceIndex(db.collection(name), index, other),
      });
    }
  }
  return damages;
}

type Options = Omit<Described, "key">;

function othersThan(index: Described): [string, Options | null][] {
  const { unique, partialFilterExpression, expireAfterSeconds } = optionsOf(index);
  const options = optionsOf(index);
  return [
    ["gone", null],
    ...(unique ? [["not unique", { ...options, unique: false }] as [string, Options]] : []),
    ...(partialFilterExpression
      ? [
          ["another filter", { ...options, partialFilterExpression: { none: 1 } }] as [
            string,
            Options,
          ],
        ]
      : []),
    ...(expireAfterSeconds === undefined
      ? []
      : [["never expires", { ...options, expireAfterSeconds: undefined }] as [string, Options]]),
  ];
}

function optionsOf({ unique, sparse, partialFilterExpression, expireAfterSeconds }: Described) {
  return {
    ...(unique && { unique }),
    ...(sparse && { sparse }),
    ...(partialFilterExpression && { partialFilterExpression }),
    ...(expireAfterSeconds !== undefined && { expireAfterSeconds }),
  };
}

async function replaceIndex(
  collection: mongo.Collection,
  index: Described & { name: string },
  other: Options | null,
): Promise<() => Promise<unknown>> {
  const key = index.key as mongo.IndexSpecification;
  await collection.dropIndex(index.name);
  const left = Object.entries(other ?? {}).filter(([, value]) => value !== undefined);
  if (other) await collection.createIndex(key, Object.fromEntries(left));
  return async () => {
    if (other) await collection.dropIndex(index.name);
    await collection.createIndex(key, optionsOf(index));
  };
}
