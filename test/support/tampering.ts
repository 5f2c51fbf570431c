// Tampering with stored books: a test changes, removes or adds one document while a verification
// runs, and the verification must find and report it.

import type { Connection, mongo } from "mongoose";
import type { Event } from "../../services/webhooks/queue/event.model.ts";
import { newId } from "../../shared/ids.ts";
import type { Rule, VerifyReport } from "../../tools/verify/findings.ts";
import { verify } from "../../tools/verify/verify.ts";
import { until } from "./system.ts";

/**
 * The report of a verification after one document was changed; the change is undone afterwards.
 * @param change a MongoDB update; null removes the document
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

/** The report of a verification with an added document; the document is removed afterwards. */
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

/** The report of a verification after an event's body was changed. */
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

/** The report has a violation of that rule with all of these words. */
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
