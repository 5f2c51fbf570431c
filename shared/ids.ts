// Ids: UUID version 7 (RFC 9562), so that indexes grow at their edge and an id's order is time's.

import { uuidv7 } from "uuidv7";

export function newId(): string {
  return uuidv7();
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

export function isUuid(value: unknown): value is string {
  return typeof value === "string" && UUID.test(value);
}

/** An id made of another, counted on in its random part: the same whoever makes it. */
export function idAfter(id: string, count: number): string {
  const end = (Number.parseInt(id.slice(-8), 16) + count) >>> 0;
  return id.slice(0, -8) + end.toString(16).padStart(8, "0");
}

/** When an id of version 7 was made; epoch ms. */
export function timeOf(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** No id of version 7 that was made at that moment (epoch ms) or later is below this one. */
export function lowestIdAt(atMs: number): string {
  const clamped = Math.min(Math.max(Math.ceil(atMs), 0), 2 ** 48 - 1);
  const hex = clamped.toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}
