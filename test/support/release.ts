// The previous release, as test/versions/previous-release.ejson.gz keeps it: its contracts, and a
// database as it left it, with documents in every state and with documents that it was working on
// at each point of their lifecycles. docs/change/versions.md says when it is written anew.

import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import mongoose, { type mongo } from "mongoose";
import {
  type ActionName,
  contractFor,
  contracts,
  events,
} from "../../shared/contracts/contracts.ts";
import { type Fields, type JsonSchema, objectSchema } from "../../shared/contracts/field.ts";
import { ERRORS } from "../../shared/errors.ts";

const KEPT = join(import.meta.dirname, "../versions/previous-release.ejson.gz");

/** An action's promises to its callers, and theirs to it. */
interface Promised {
  params: JsonSchema;
  result: JsonSchema;
  errors: string[];
}

export interface Release {
  contracts: ReleasedContracts;
  database: ReleasedDatabase;
}

export interface ReleasedContracts {
  actions: Record<string, Promised>;
  /** The payloads of broadcast events. */
  events: Record<string, JsonSchema>;
  /** The types of errors that the release has a status and a message for. */
  errorTypes: string[];
}

/** The contracts of this code. */
export function contractsOfToday(): ReleasedContracts {
  const schema = (fields: Fields) => withoutNotes(objectSchema(fields)) as JsonSchema;
  return {
    actions: Object.fromEntries(
      Object.keys(contracts).map((name) => {
        const { params, result, errors } = contractFor(name as ActionName);
        const promised = { params: schema(params), result: withoutNotes(result.schema), errors };
        return [name, promised as Promised];
      }),
    ),
    events: Object.fromEntries(
      Object.entries(events).map(([name, { payload }]) => [name, schema(payload)]),
    ),
    errorTypes: Object.keys(ERRORS),
  };
}

/** A schema without the texts and examples, which promise nothing. */
function withoutNotes(value: unknown, isNamed = false): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutNotes(each));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(
    ([key]) => isNamed || (key !== "description" && key !== "example"),
  );
  // The keys of `properties` are names, not keywords.
  return Object.fromEntries(
    entries.map(([key, each]) => [key, withoutNotes(each, !isNamed && key === "properties")]),
  );
}

/** The keys of the kept database; they protect test data alone. */
export const KEYS = {
  ENCRYPTION_KEYS: `kept:${keyFrom("encryption").toString("base64")}`,
  FINGERPRINT_KEY: keyFrom("fingerprint").toString("base64"),
};

function keyFrom(purpose: string): Buffer {
  return createHash("sha256").update(`payrail test/versions ${purpose}`).digest();
}

export interface ReleasedDatabase {
  /** The statuses that each payout under way must have entered in the end, by its id. */
  awaited: Record<string, string[]>;
  collections: Record<string, mongo.Document[]>;
}

export function previousRelease(): Release {
  const text = gunzipSync(readFileSync(KEPT)).toString();
  return mongoose.mongo.BSON.EJSON.parse(text, { relaxed: true }) as Release;
}

export function keepRelease(release: Release): void {
  const text = mongoose.mongo.BSON.EJSON.stringify(release, { relaxed: false });
  writeFileSync(KEPT, gzipSync(text, { level: 9 }));
}

/** All documents of a database by collection. */
export async function readCollections(db: mongo.Db): Promise<ReleasedDatabase["collections"]> {
  const names = await db.listCollections({ type: "collection" }, { nameOnly: true }).toArray();
  const own = names.map(({ name }) => name).filter((name) => !name.startsWith("system."));
  const read = async (name: string) => [name, await db.collection(name).find().toArray()] as const;
  return Object.fromEntries(await Promise.all(own.toSorted().map(read)));
}
