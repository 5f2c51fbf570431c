// Ids: UUID version 7 (RFC 9562), so that indexes grow at their end and the order of ids is the
// order of time.

import { createHash } from "node:crypto";
import { V7Generator } from "uuidv7";
import { type Clock, systemClock } from "./clock.ts";

/** Makes ids by a clock; the ids of one maker are in the order in which it made them. */
export function idMaker(clock: Pick<Clock, "now">): () => string {
  const generator = new V7Generator();
  return () => generator.generateOrResetWithTs(clock.now()).toString();
}

/** Makes an id by the clock of this process. */
export const newId = idMaker(systemClock);

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Reads a UUID in any case (RFC 9562, 4) and returns it in lower case, in which all ids are stored
 * and compared; null for anything else.
 */
export function readUuid(value: unknown): string | null {
  return typeof value === "string" && UUID.test(value) ? value.toLowerCase() : null;
}

/** An id of any form as it is stored, if it is ours. */
export function normalId(given: string): string {
  return readUuid(given) ?? given;
}

/** Derives an id from another one by adding to its random part: every node gets the same. */
export function idAfter(id: string, count: number): string {
  const end = (Number.parseInt(id.slice(-8), 16) + count) >>> 0;
  return id.slice(0, -8) + end.toString(16).padStart(8, "0");
}

/** The namespace of the names below. It never changes, because every name would get another id. */
const NAMESPACE = Buffer.from("5d3c1f0a8f5e4d0fb7a26e1c9a40d7b3", "hex");

/**
 * The id of a name: a UUID of version 5 (RFC 9562, 5.5), the same on every node at any time. The
 * generator of this file's other ids makes only version 7, so node's own hash is used.
 * @param parts of the name; different parts give different names
 */
export function idOfName(...parts: (string | number)[]): string {
  const hash = createHash("sha1").update(NAMESPACE).update(JSON.stringify(parts)).digest();
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x50, 6);
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = hash.toString("hex", 0, 16);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** The time at which an id of version 7 was made; epoch ms. */
export function creationTime(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** The lowest id of that time (epoch ms): an id that is made then or later is not below it. */
export function lowestIdAt(atMs: number): string {
  const clamped = Math.min(Math.max(Math.ceil(atMs), 0), 2 ** 48 - 1);
  const hex = clamped.toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}
