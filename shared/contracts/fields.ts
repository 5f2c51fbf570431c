// Fields of single values: the words that contracts are written in. From one word, such as
// `amount()`, come the check (fastest-validator's rule), the type of the handler's parameter, the
// JSON Schema of OpenAPI and docs/generated/actions.md, and the sentence of an error (field.ts).
// The validator's own schemas have only the first of these, so the others would be written by hand
// beside it and could differ. null is a value, and is wrong if a field is not nullable.

import { LONGEST_EMAIL, readEmail, readStoredEmail } from "../email.ts";
import { normalId, readUuid } from "../ids.ts";
import { readTime } from "../iso-time.ts";
import { MAX_AMOUNT_MINOR, toMinor } from "../money.ts";
import { readText } from "../texts.ts";
import {
  checked,
  type Fault,
  type Field,
  field,
  type JsonSchema,
  type Notes,
  optional,
  type Wrong,
} from "./field.ts";

/** Free text of `min` to `max` characters, by the rules of texts.ts. */
export function text({
  min = 1,
  max = 256,
  ...notes
}: { min?: number; max?: number } & Notes = {}): Field<string, false> {
  const read = (given: string) => readText(given, min, max);
  const expectation = `a text of ${min} to ${max} characters`;
  return normalised(read, expectation, { minLength: min, maxLength: max }, notes);
}

/**
 * A text with a form of its own, such as a routing number.
 * @param parse returns the normalised text (a normalised text unchanged); for a wrong one its
 *   fault, or null if the allowed values say enough
 * @param expectation the allowed values, to stand behind "must be" in an error
 */
export function normalised<T extends string>(
  parse: (value: string) => T | Fault | null,
  expectation: string,
  schema: JsonSchema = {},
  notes: Notes = {},
): Field<T, false> {
  const parseText = (value: unknown) => (typeof value === "string" ? parse(value) : null);
  return parsed(parseText, { type: "string", ...schema }, expectation, notes);
}

/** @param parse returns the value in its own type; for a wrong one its fault, or null */
function parsed<T extends string | number | boolean>(
  parse: (value: unknown) => T | Fault | null,
  schema: JsonSchema,
  expectation: string,
  notes: Notes,
): Field<T, false> {
  const check = (value: unknown, errors: Wrong[]) => {
    const right = parse(value);
    if (right !== null && typeof right !== "object") return right;
    const isOtherType = schema.type === "string" && typeof value !== "string";
    errors.push({ type: isOtherType ? "string" : "wrong", ...right });
    return value;
  };
  return field({ type: "custom", check }, schema, expectation, notes);
}

/** One of these values, in any case; the result has the case of the list. */
export function anyCaseOf<const V extends string>(
  values: readonly V[],
  notes: Notes = {},
): Field<V, false> {
  const find = (given: string) =>
    values.find((value) => value.toLowerCase() === given.toLowerCase()) ?? null;
  return normalised(find, `one of ${values.join(", ")}`, { enum: [...values] }, notes);
}

/** A text in a path; its action checks it further. */
export function anyText(notes: Notes = {}): Field<string, false> {
  return field({ type: "string" }, { type: "string" }, "a text", notes);
}

/** An id in a path, of any form: an unknown id is not found rather than invalid. */
export function id(notes: Notes = {}): Field<string, false> {
  return normalised(normalId, "an id", UUID, notes);
}

/** An id in a body or a query, in which a wrong form is a validation error. */
export function uuid(notes: Notes = {}): Field<string, false> {
  return normalised(readUuid, "a UUID", UUID, notes);
}

const UUID = { format: "uuid" };

export function email(notes: Notes = {}): Field<string, false> {
  return normalised(readEmail, "an email address", EMAIL, notes);
}

/** The address of a person whose data is looked up, as it may have been stored. */
export function storedEmail(notes: Notes = {}): Field<string, false> {
  return normalised(readStoredEmail, "an email address", EMAIL, notes);
}

const EMAIL = { format: "email", maxLength: LONGEST_EMAIL };

export function oneOf<const V extends string>(
  values: readonly V[],
  notes: Notes = {},
): Field<V, false> {
  const expectation = values.length === 1 ? `${values[0]}` : `one of ${values.join(", ")}`;
  return field(
    { type: "enum", values: [...values] },
    { type: "string", enum: [...values] },
    expectation,
    notes,
  );
}

/**
 * Gives a number its format in the document, because generators of clients take a type that rounds
 * money for a number without one.
 */
function withFormat(format: "double" | "int32" | "int64", notes: Notes, keywords = {}): Notes {
  return { ...notes, keywords: { format, ...keywords, ...notes.keywords } };
}

/** The format of whole numbers within these bounds. */
function wholeFormat(min: number, max: number) {
  return min >= -(2 ** 31) && max < 2 ** 31 ? "int32" : "int64";
}

/** An amount in major units with at most two decimals, in JSON a number; above zero. */
export function amount(notes: Notes = {}): Field<number, false> {
  const isAmount = (value: number) => {
    const minor = toMinor(value);
    return minor !== null && minor > 0 && minor <= MAX_AMOUNT_MINOR;
  };
  return field(
    { type: "number", custom: checked("number", isAmount) },
    { type: "number", exclusiveMinimum: 0, maximum: MAX_AMOUNT_MINOR / 100 },
    "a number above 0 and up to 9999999999.99 with at most two decimals",
    // With two decimals this says the same, and parsers of OpenAPI 3.0 read it.
    withFormat("double", notes, { exclusiveMinimum: undefined, minimum: 0.01 }),
  );
}

/**
 * A price in major units: zero or more, in JSON a number.
 * @param decimals the greatest number of decimals
 */
export function price({ decimals = 2, ...notes }: { decimals?: number } & Notes = {}) {
  const max = MAX_AMOUNT_MINOR / 100;
  return number({ min: 0, max, decimals, ...notes });
}

/** A whole number, such as an amount in minor units. */
export function integer({
  min = Number.MIN_SAFE_INTEGER,
  max = Number.MAX_SAFE_INTEGER,
  ...notes
}: { min?: number; max?: number } & Notes = {}): Field<number, false> {
  return field(
    { type: "number", integer: true, min, max },
    { type: "integer", minimum: min, maximum: max },
    `a whole number from ${min} to ${max}`,
    withFormat(wholeFormat(min, max), notes),
  );
}

/** @param decimals the greatest number of decimals; any number if it is left out */
export function number({
  min = -Number.MAX_VALUE,
  max = Number.MAX_VALUE,
  decimals,
  ...notes
}: { min?: number; max?: number; decimals?: number } & Notes = {}): Field<number, false> {
  const isBounded = min > -Number.MAX_VALUE;
  const isShort = (value: number) => decimals === undefined || hasAtMost(value, decimals);
  const expectation = isBounded ? `a number from ${min} to ${max}` : "a number";
  return field(
    { type: "number", min, max, custom: checked("number", isShort) },
    { type: "number", ...(isBounded && { minimum: min, maximum: max }) },
    decimals === undefined ? expectation : `${expectation} with at most ${decimals} decimals`,
    withFormat("double", notes),
  );
}

/** Compares the number's shortest text, which would show further decimals. */
function hasAtMost(value: number, decimals: number): boolean {
  return Number(value.toFixed(decimals)) === value;
}

/** A whole number in a query string; arrives as text. */
export function queryInteger({
  min,
  max,
  ...notes
}: { min: number; max: number } & Notes): Field<number, false> {
  const parse = (value: unknown) => {
    const isText = typeof value === "string" && /^\d{1,15}$/.test(value);
    const found = isText || Number.isInteger(value) ? Number(value) : Number.NaN;
    return found >= min && found <= max ? found : null;
  };
  const schema = { type: "integer", minimum: min, maximum: max };
  const inDocument = withFormat(wholeFormat(min, max), notes);
  return parsed(parse, schema, `a whole number from ${min} to ${max}`, inDocument);
}

export function boolean(notes: Notes = {}): Field<boolean, false> {
  return field({ type: "boolean" }, { type: "boolean" }, "true or false", notes);
}

/** true or false in a query string. */
export function queryBoolean(notes: Notes = {}): Field<boolean, false> {
  const parse = (value: unknown) => {
    if (value === true || value === "true") return true;
    return value === false || value === "false" ? false : null;
  };
  return parsed(parse, { type: "boolean" }, "true or false", notes);
}

/** A time in ISO 8601 (a date alone means its midnight, UTC), in the years 0000 to 9999. */
export function timestamp(notes: Notes = {}): Field<string, false> {
  return normalised(readTime, "an ISO 8601 date or time", { format: "date-time" }, notes);
}

/** A field that must not be sent with any value. */
export function forbidden(notes: Notes = {}): Field<undefined, true> {
  const check = (value: unknown, errors: { type: string }[]) => {
    if (value !== undefined) errors.push({ type: "wrong" });
    return value;
  };
  return optional(field<undefined>({ type: "custom", check }, { not: {} }, "left out", notes));
}

/** Any JSON value; the code that reads it checks it. */
export function anything<T = unknown>(notes: Notes = {}): Field<T, false> {
  return field<T>({ type: "any", nullable: true }, {}, "any value", notes);
}
