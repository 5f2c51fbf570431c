// The schema's version rises with the collections and indexes, because a service that runs beside
// another version compares the versions before the indexes.

import { createHash } from "node:crypto";
import type { Schema } from "mongoose";
import { indexesOf } from "../../shared/storage/indexes.ts";
import { READABLE_FROM, SCHEMA_VERSION } from "../../shared/storage/schema-version.ts";
import { SCHEMAS } from "../../tools/migrate/schemas.ts";

/** The last version, and the digest of its collections and indexes. */
const LAST = { version: 6, digest: "e04d3bffd28ccc88" };

test("the schema's version rises with every change of a collection or an index", () => {
  const schemas = Object.values(SCHEMAS).flatMap((each) => Object.entries<Schema>(each));
  const text = schemas.map(([name, schema]) => JSON.stringify([name, indexesOf(schema)]));
  const digest = createHash("sha256").update(text.toSorted().join("\n")).digest("hex").slice(0, 16);
  // After a change: raise SCHEMA_VERSION by one for the next release, and write both here.
  expect({ version: SCHEMA_VERSION, digest }).toEqual(LAST);
});

test("the previous release reads this schema", () => {
  expect(READABLE_FROM).toBeGreaterThanOrEqual(1);
  expect(READABLE_FROM).toBeLessThanOrEqual(Math.max(1, SCHEMA_VERSION - 1));
});
