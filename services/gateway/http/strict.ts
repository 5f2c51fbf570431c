// The names that a route knows. Strict handling (RFC 7240, 4.4): the gateway refuses a request with
// `Prefer: handling=strict` that has a field or a query parameter that its route does not know.
// Without it the gateway drops a misspelt optional field, and the field's default could cost money.

import type { IncomingHttpHeaders } from "node:http";
import { type Field, type Fields, type Forms, isObject } from "../../../shared/contracts/field.ts";
import { type FieldError, wrongField } from "../../../shared/errors.ts";
import { nearestOf } from "../../../shared/nearest-name.ts";
import { shownName } from "../../../shared/texts.ts";
import type { Path } from "./json.ts";
import type { Route, RouteRequest } from "./route.ts";

/** The header of each answer to a strict request. */
export const APPLIED = { "preference-applied": "handling=strict" };

/** A value in quotes equals the value without them; a value with a comma is no handling. */
const QUOTED = /"([^"]*)"/g;
const HANDLING = /^\s*handling\s*(?:=\s*([\w-]*)\s*)?(?:;|$)/i;

/** Whether a request asks for strict handling. Of several such preferences the first counts. */
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
 * Finds names that the route does not know, in the query and at every depth of the body.
 * @returns an error for each, with the nearest known name
 */
export function findUnknown(route: Route, { query, body }: RouteRequest): FieldError[] {
  const unknown = [
    ...unknownNames(query, Object.fromEntries(route.inQuery.map((name) => [name, null])), ""),
    ...(isObject(body) ? unknownFields(body, route.body ?? {}, "") : []),
  ];
  return unknown.map(describe);
}

/** Whether a route reads the value at a path of a body, and does not ignore it. */
export function isRead({ body: fields }: Route, body: object, path: Path): boolean {
  let known: Fields | null = fields ?? {};
  let field: Field | undefined;
  let parent = body;
  let value: unknown = body;
  for (const at of path) {
    if (typeof at === "string") {
      // Any name, each with a value that is read.
      if (known === null) return true;
      if (!Object.hasOwn(known, at)) return false;
      field = known[at];
      parent = value as object;
    }
    value = (value as Record<string | number, unknown>)[at];
    if (field && isObject(value)) known = fieldsWithin(field, value, parent);
  }
  return true;
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
  const fields = isObject(value) ? fieldsWithin(field, value, parent) : null;
  return fields ? unknownFields(value as object, fields, `${path}.`) : [];
}

/** The fields that an object may have; null if it may have any. */
function fieldsWithin(field: Field, value: object, parent: object): Fields | null {
  if (field.isOpen) return null;
  return (field.forms ? fieldsOfForm(field.forms, value, parent) : field.fields) ?? null;
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

/** The greatest number of edits between a misspelt name and the known one. */
const MAX_EDITS = 3;

/** A bound, because a body may have thousands of names and each comparison costs time. */
const MOST_HINTS = 50;

function describe({ name, around, known }: Unknown, i: number): FieldError {
  const nearest = i < MOST_HINTS ? nearestOf(name, known, MAX_EDITS) : null;
  const hint = nearest === null ? "" : `; did you mean ${around}${nearest}?`;
  return wrongField(`${around}${shownName(name)}`, `is unknown${hint}`, "unknown_field");
}
