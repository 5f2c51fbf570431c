// Tampering with books at rest: one document is changed, taken away or added for as long as a
// verification takes, which has to find it and to name it.

import type { Connection, mongo } from "mongoose";
import type { Event } from "../../services/webhooks/event.model.ts";
import { newId } from "../../shared/ids.ts";
import type { Rule, VerifyReport } from "../../verification/findings.ts";
import { verify } from "../../verification/verify.ts";
import { until } from "./system.ts";

/**
 * What a verification says once one document is changed; all is undone.
 * @param change in MongoDB's words; takes it away where it is null
 */
export async function tampered<T extends { _id: string }>(
  connection: Connection,
  collection: mongo.Collection<T>,
  id: string,
  change: object | null,
): Promise<VerifyReport> {
  const filter = { _id: id } as mongo.Filter<T>;
  const before = (await collection.findOne(filter)) as mongo.OptionalUnlessRequiredId<T>;
  if (change) await collection.updateOne(filter, change);
  else await collection.deleteOne(filter);
  const report = await verify(connection);
  await collection.deleteOne(filter);
  await collection.insertOne(before);
  return report;
}

/** What a verification says beside a document that was made before it begins; it is taken away again. */
export async function withAdded<T extends { _id: string }>(
  connection: Connection,
  collection: mongo.Collection<T>,
  added: T,
): Promise<VerifyReport> {
  await collection.insertOne(added as mongo.OptionalUnlessRequiredId<T>);
  await until(() => newId().slice(0, 13) > added._id.slice(0, 13));
  const report = await verify(connection);
  await collection.deleteOne({ _id: added._id } as mongo.Filter<T>);
  return report;
}

/** What a verification says of an event whose body says something else. */
export async function reworded(
  connection: Connection,
  events: mongo.Collection<Event>,
  id: string,
  change: (body: string) => string,
): Promise<VerifyReport> {
  const { body } = (await events.findOne({ _id: id })) as Event;
  expect(change(body)).not.toBe(body);
  return tampered(connection, events, id, { $set: { body: change(body) } });
}

/** A body with another value in its payload. */
export function withOther(field: string): (body: string) => string {
  return (body) => {
    const parsed = JSON.parse(body) as { payload: object };
    return JSON.stringify({ ...parsed, payload: { ...parsed.payload, [field]: "another" } });
  };
}

/** It is found under that rule, with these words in one violation. */
export function expectNamed(
  { ok, violations }: VerifyReport,
  rule: Rule,
  ...names: string[]
): void {
  const named = violations.some(
    (violation) =>
      violation.rule === rule && names.every((name) => violation.detail.includes(name)),
  );
  expect({ ok, rule, named, violations }).toMatchObject({ ok: false, named: true });
}
