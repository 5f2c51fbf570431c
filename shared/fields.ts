// Fields of single values. null is a value, and is wrong if a field is not nullable.

import { checked, type Field, field, type JsonSchema, type Notes, optional } from "./field.ts";
import { MAX_AMOUNT_MINOR, toMinor } from "./money.ts";
import { isImageHost } from "./public-hosts.ts";

/**
 * Control characters, lone surrogates, and what turns the direction of writing (right-to-left marks
 * and overrides): with it a payee's name could be read as another than it is. Letters that are
 * written from right to left need none of it.
 */
const UNCLEAN = /[\p{Cc}\p{Cs}\p{Bidi_Control}]/u;
export const isClean = (value: string) => !UNCLEAN.test(value);

/** Free text, trimmed: `min` to `max` characters, none of them a control character. */
export function text({
  min = 1,
  max = 256,
  ...notes
}: { min?: number; max?: number } & Notes = {}): Field<string, false> {
  return field(
    { type: "string", trim: true, min, max, custom: checked("string", isClean) },
    { type: "string", minLength: min, maxLength: max },
    `a text of ${min} to ${max} characters without control characters`,
    notes,
  );
}

/**
 * A text with a form of its own, such as a routing number.
 * @param parse answers it normalised (and what is normalised unchanged), or null where it is wrong
 * @param expectation the allowed values, to stand behind "must be" in an error
 */
export function normalised<T extends string>(
  parse: (value: string) => T | null,
  expectation: string,
  schema: JsonSchema = {},
  notes: Notes = {},
): Field<T, false> {
  const check = (value: unknown, errors: { type: string }[]) => {
    const right = typeof value === "string" ? parse(value) : null;
    if (right === null) errors.push({ type: "wrong" });
    return right;
  };
  return field({ type: "custom", check }, { type: "string", ...schema }, expectation, notes);
}

/** One of these values, in any case; answered as it is written here. */
export function anyCaseOf<const V extends string>(
  values: readonly V[],
  notes: Notes = {},
): Field<V, false> {
  const find = (given: string) =>
    values.find((value) => value.toLowerCase() === given.toLowerCase()) ?? null;
  return normalised(find, `one of ${values.join(", ")}`, { enum: [...values] }, notes);
}

/** A text in a path that its action judges, after more than its form. */
export function anyText(notes: Notes = {}): Field<string, false> {
  return field({ type: "string" }, { type: "string" }, "a text", notes);
}

/** An id in a path: whatever it is, one that names nothing is not found rather than invalid. */
export function id(notes: Notes = {}): Field<string, false> {
  return field({ type: "string" }, { type: "string", format: "uuid" }, "an id", notes);
}

/** An id in a body or a query, where a wrong form is a validation error. */
export function uuid(notes: Notes = {}): Field<string, false> {
  return field({ type: "uuid" }, { type: "string", format: "uuid" }, "a UUID", notes);
}

export function email(notes: Notes = {}): Field<string, false> {
  return field(
    {
      type: "email",
      mode: "precise",
      max: 254,
      normalize: false,
      // The library lets them pass before the @.
      custom: checked("string", isClean),
    },
    { type: "string", format: "email", maxLength: 254 },
    "an email address",
    notes,
  );
}

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
    notes,
  );
}

/**
 * A price in major units: zero or more, in JSON a number.
 * @param decimals how many it may have
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
    notes,
  );
}

/** @param decimals how many it may have; any where it is left out */
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
    notes,
  );
}

/** The shortest text of a number is the number: what more decimals it has, it shows. */
function hasAtMost(value: number, decimals: number): boolean {
  return Number(value.toFixed(decimals)) === value;
}

/** A whole number in a query string; arrives as text. */
export function queryInteger({
  min,
  max,
  ...notes
}: { min: number; max: number } & Notes): Field<number, false> {
  const parse = (value: unknown, errors: { type: string }[]) => {
    const parsed = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
    const fits = Number.isInteger(parsed) && (parsed as number) >= min && (parsed as number) <= max;
    if (!fits) errors.push({ type: "wrong" });
    return parsed;
  };
  return field(
    { type: "custom", check: parse },
    { type: "integer", minimum: min, maximum: max },
    `a whole number from ${min} to ${max}`,
    notes,
  );
}

export function boolean(notes: Notes = {}): Field<boolean, false> {
  return field({ type: "boolean" }, { type: "boolean" }, "true or false", notes);
}

/** true or false in a query string. */
export function queryBoolean(notes: Notes = {}): Field<boolean, false> {
  const parse = (value: unknown, errors: { type: string }[]) => {
    if (typeof value === "boolean") return value;
    if (value !== "true" && value !== "false") errors.push({ type: "wrong" });
    return value === "true";
  };
  return field({ type: "custom", check: parse }, { type: "boolean" }, "true or false", notes);
}

const ISO = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/;

/** A moment as ISO 8601 (a date alone is its midnight, UTC), of the years 0000 to 9999. */
export function timestamp(notes: Notes = {}): Field<string, false> {
  return field(
    { type: "string", custom: checked("string", isMoment) },
    { type: "string", format: "date-time" },
    "an ISO 8601 date or time",
    notes,
  );
}

function isMoment(given: string): boolean {
  if (!ISO.test(given) || Number.isNaN(Date.parse(given))) return false;
  // The parser takes the 30th of February for the 2nd of March.
  const [day] = given.split("T") as [string];
  const isDay = new Date(day).toISOString().startsWith(day);
  return isDay && /^\d{4}-/.test(new Date(given).toISOString());
}

/** A web address that a browser is sent to. */
export function httpsUrl(notes: Notes = {}): Field<string, false> {
  return normalised((value) => (isHttpsUrl(value) ? value : null), HTTPS_URL, URL_SCHEMA, {
    example: "https://example.com/thanks",
    ...notes,
  });
}

/** An image that customers' browsers load, which must not make them ask hosts of their own network. */
export function imageUrl(notes: Notes = {}): Field<string, false> {
  const isRight = (value: string) => isHttpsUrl(value) && isImageHost(new URL(value).hostname);
  const expectation = `${HTTPS_URL} with a public host name`;
  return normalised((value) => (isRight(value) ? value : null), expectation, URL_SCHEMA, {
    example: "https://example.com/image.png",
    ...notes,
  });
}

const HTTPS_URL = "an https URL of at most 2048 characters";
const URL_SCHEMA = { format: "uri", maxLength: 2_048 };

function isHttpsUrl(value: string): boolean {
  const isWritten = value.length <= 2_048 && isClean(value) && /^https:\/\/\S+$/i.test(value);
  if (!isWritten || !URL.canParse(value)) return false;
  const { protocol, username, password } = new URL(value);
  return protocol === "https:" && username === "" && password === "";
}

/** A field that must not be there, whatever its value. */
export function forbidden(notes: Notes = {}): Field<undefined, true> {
  const check = (value: unknown, errors: { type: string }[]) => {
    if (value !== undefined) errors.push({ type: "wrong" });
    return value;
  };
  return optional(field<undefined>({ type: "custom", check }, { not: {} }, "left out", notes));
}

/** Any JSON value, checked by whoever reads it. */
export function anything<T = unknown>(notes: Notes = {}): Field<T, false> {
  return field<T>({ type: "any", nullable: true }, {}, "any value", notes);
}
