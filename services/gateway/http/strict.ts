// Strict handling (RFC 7240, 4.4): the gateway refuses a request with `Prefer: handling=strict`
// that has a field or a query parameter that its route does not know. Without it the gateway drops
// a misspelt optional field, and the field's default could cost money.

import type { IncomingHttpHeaders } from "node:http";
import { type FieldError, failFields, wrongField } from "../../../shared/errors.ts";
import { type Field, type Fields, type Forms, isObject } from "../../../shared/field.ts";
import { shownName } from "../../../shared/texts.ts";
import type { Route, RouteRequest } from "./route.ts";

/** The header of each answer to a strict request. */
export const APPLIED = { "preference-applied": "handling=strict" };

/** A value in quotes equals the value without them; a value with a comma is no handling. */
const QUOTED = /"([^"]*)"/g;
const HANDLING = /^\s*handling\s*(?:=\s*([\w-]*)\s*)?(?:;|$)/i;

/** Whether a request asks for strict handling. Of several preferences of a name the first counts. */
export function isStrict({ prefer }: IncomingHttpHeaders): boolean {
  if (prefer === undefined) return false;
  // Node joins repeated headers with commas.
  const unquoted = String(prefer).replaceAll(QUOTED, (_, value) =>
    value.includes(",") ? "" : value,
  );
  const handling = unquoted.split(",").map((each) => HANDLING.exec(each));
  return handling.find((each) => each !== null)?.[1]?.toLowerCase() === "strict";
}

/**
 * Refuses names that the route does not know, in the query and at every depth of the body.
 * @param findWrong the fields that are wrong beside them
 * @throws VALIDATION, with the nearest known name for each
 */
export function refuseUnknown(
  route: Route,
  { query, body }: RouteRequest,
  findWrong: () => FieldError[] = () => [],
): void {
  const unknown = [
    ...unknownNames(query, Object.fromEntries(route.inQuery.map((name) => [name, null])), ""),
    ...(isObject(body) ? unknownFields(body, route.body ?? {}, "") : []),
  ];
  if (unknown.length > 0) failFields([...unknown.map(describe), ...findWrong()]);
}

/** A name that the request should not have. */
interface Unknown {
  name: string;
  /** The path of its object, with a point at its end; empty for the body itself. */
  around: string;
  /** The names that the object may have. */
  known: string[];
}

function unknownFields(value: object, fields: Fields, around: string): Unknown[] {
  const inner = Object.entries(value).flatMap(([name, each]) => {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    return field ? unknownWithin(each, field, `${around}${name}`, value) : [];
  });
  return [...unknownNames(value, fields, around), ...inner];
}

/** @param parent the object that has the value */
function unknownWithin(value: unknown, field: Field, path: string, parent: object): Unknown[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, i) => unknownWithin(item, field, `${path}[${i}]`, parent));
  }
  if (!isObject(value) || field.isOpen) return [];
  const fields = field.forms ? fieldsOfForm(field.forms, value, parent) : field.fields;
  return fields ? unknownFields(value, fields, `${path}.`) : [];
}

/** The fields of the value's form; the fields of all forms if the value names no form. */
function fieldsOfForm({ by, within, fields }: Forms, value: object, parent: object): Fields {
  const name = (within ? value : parent)[by as never] as unknown;
  const isForm = typeof name === "string" && Object.hasOwn(fields, name);
  return isForm ? (fields[name] as Fields) : Object.assign({}, ...Object.values(fields));
}

function unknownNames(value: object, fields: object, around: string): Unknown[] {
  const known = Object.keys(fields);
  return Object.keys(value)
    .filter((name) => !Object.hasOwn(fields, name))
    .map((name) => ({ name, around, known }));
}

/** A bound, because a body may have thousands of names and each comparison costs time. */
const MOST_HINTS = 50;

function describe({ name, around, known }: Unknown, i: number): FieldError {
  const nearest = i < MOST_HINTS ? nearestOf(name, known) : null;
  const hint = nearest === null ? "" : `; did you mean ${around}${nearest}?`;
  return wrongField(`${around}${shownName(name)}`, `is unknown${hint}`, "unknown_field");
}

/** Longer than any name of the API. */
const MAX_NAME = 64;

/** The greatest number of edits between a misspelt name and the known one. */
const MAX_EDITS = 3;

/** The known name with the fewest edits; null if none is near. Case and separators do not count. */
function nearestOf(name: string, known: string[]): string | null {
  if (name.length > MAX_NAME) return null;
  const plain = (each: string) => each.toLowerCase().replaceAll(/[^a-z\d]/g, "");
  const meant = plain(name);
  const most = Math.min(MAX_EDITS, Math.floor(meant.length / 2));
  const [first] = known
    .map((each) => ({ each, edits: countEdits(meant, plain(each)) }))
    .filter(({ edits }) => edits <= most)
    .toSorted((a, b) => a.edits - b.edits);
  return first?.each ?? null;
}

/** The Levenshtein distance of two texts. */
function countEdits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 0; i < a.length; i += 1) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j += 1) {
      const replaced = (row[j] as number) + (b[j] === a[i] ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] as number) + 1, (next[j] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}
