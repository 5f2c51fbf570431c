// The shape of a collection's documents, as they are found: for each path the BSON types of its
// values, and whether every document has it. Two versions of payrail that run beside each other
// read each other's documents, so their shapes must agree.

import type { mongo } from "mongoose";

interface Found {
  types: Set<string>;
  /** The number of parents that have it. */
  count: number;
}

/** By path; `[]` stands for the items of a list, `*` for a key that is an id, number or account. */
export type Shape = Map<string, Found>;

export function shapeOf(documents: mongo.Document[]): Shape {
  const shape: Shape = new Map();
  for (const document of documents) add(shape, "", document);
  return shape;
}

function add(shape: Shape, path: string, value: unknown): void {
  const found = shape.get(path) ?? { types: new Set(), count: 0 };
  shape.set(path, found);
  found.count += 1;
  const type = typeOf(value);
  found.types.add(type);
  if (Array.isArray(value)) for (const item of value) add(shape, `${path}[]`, item);
  else if (type === "object") {
    for (const [key, each] of Object.entries(value as object)) {
      add(shape, `${path}.${/^[\da-f-]{36}$|^\d+$|:/.test(key) ? "*" : key}`, each);
    }
  }
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  const { _bsontype } = value as { _bsontype?: string };
  if (_bsontype === "Int32" || _bsontype === "Double" || _bsontype === "Long") return "number";
  return _bsontype ?? (value instanceof Date ? "date" : typeof value);
}

/**
 * The differences by which a reader of the kept shape would misread a document of the other one.
 * @returns a line for each: a field that every kept document has and that may be missing, and a
 *   value of a type that the kept documents do not have; an unknown field is ignored
 */
export function misread(kept: Shape, found: Shape): string[] {
  const lines: string[] = [];
  for (const [path, { types, count }] of found) {
    const before = kept.get(path);
    if (!before) continue;
    const strange = [...types].filter((type) => !before.types.has(type));
    if (strange.length > 0) {
      lines.push(`${path}: ${strange.join()}, where there was ${[...before.types].join()}`);
    }
    for (const [below, { count: always }] of kept) {
      if (parentOf(below) !== path || below.endsWith("[]") || always < before.count) continue;
      if ((found.get(below)?.count ?? 0) < count) lines.push(`${below}: may be missing`);
    }
  }
  return lines;
}

/** The path of the object that has the field; null for the document itself and for items. */
function parentOf(path: string): string | null {
  const end = path.lastIndexOf(".");
  return end < 0 ? null : path.slice(0, end);
}
