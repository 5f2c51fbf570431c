// Fields: one definition of a value gives its check (fastest-validator), its JSON Schema (OpenAPI,
// the actions' page), its TypeScript type and the sentence that tells a caller what it may be.
// Unknown keys of an object are dropped; null is a value, and wrong where a field is not nullable.

import FastestValidator, { type ValidationError } from "fastest-validator";
import { fail } from "./errors.ts";
import { MAX_AMOUNT_MINOR, toMinor } from "./money.ts";
import { isImageHost } from "./public-hosts.ts";

export type JsonSchema = Record<string, unknown>;

/** What fastest-validator compiles. */
type Rule = Record<string, unknown>;

export interface Field<T = unknown, Optional extends boolean = boolean> {
  rule: Rule;
  schema: JsonSchema;
  /** What the value may be, to stand behind "must be" in an error. */
  says: string;
  optional: Optional;
  /** Of an object or of the items of a list: their own fields, for messages and documents. */
  fields?: Fields;
  /** Of a list: what each of its items may be. */
  itemSays?: string;
  /** Carries the type only; never set. */
  readonly type?: T;
}

export type Fields = Record<string, Field>;
type TypeOf<F> = F extends Field<infer T> ? T : never;
type OptionalKeys<F extends Fields> = {
  [K in keyof F]: F[K] extends Field<unknown, true> ? K : never;
}[keyof F];

/** The TypeScript type of an object with these fields. */
export type Infer<F extends Fields> = {
  [K in Exclude<keyof F, OptionalKeys<F>>]: TypeOf<F[K]>;
} & { [K in OptionalKeys<F>]?: TypeOf<F[K]> };

/** What documents say of a field beside its type. */
interface Notes {
  note?: string;
  example?: unknown;
}

function field<T>(
  rule: Record<string, unknown>,
  schema: JsonSchema,
  says: string,
  { note, example }: Notes = {},
): Field<T, false> {
  const notes = { ...(note && { description: note }), ...(example !== undefined && { example }) };
  return {
    rule: { nullable: false, ...rule },
    schema: { ...schema, ...notes },
    says,
    optional: false,
  };
}

/** What a check of ours adds to an error: the field inside it, and what that may be. */
interface Wrong {
  type: string;
  field?: string;
  says?: string;
}

/**
 * Checks in fastest-validator's form: an error's type where the value is wrong. They run for a
 * field that is not there or of another type too, and whether that is wrong is not theirs to say;
 * an object may have a toString that is no function.
 */
function checked(type: "string" | "number", isRight: (value: never) => boolean) {
  return (value: never, errors: { type: string }[]) => {
    if (typeof value === type && !isRight(value)) errors.push({ type: "wrong" });
    return value;
  };
}

/**
 * Control characters, lone surrogates, and what turns the direction of writing (right-to-left marks
 * and overrides): with it a payee's name could be read as another than it is. Letters that are
 * written from right to left need none of it.
 */
const UNCLEAN = /[\p{Cc}\p{Cs}\p{Bidi_Control}]/u;
const isClean = (value: string) => !UNCLEAN.test(value);

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
 * @param says tells a person what it may be
 */
export function normalised<T extends string>(
  parse: (value: string) => T | null,
  says: string,
  schema: JsonSchema = {},
  notes: Notes = {},
): Field<T, false> {
  const check = (value: unknown, errors: { type: string }[]) => {
    const right = typeof value === "string" ? parse(value) : null;
    if (right === null) errors.push({ type: "wrong" });
    return right;
  };
  return field({ type: "custom", check }, { type: "string", ...schema }, says, notes);
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
  const says = values.length === 1 ? `${values[0]}` : `one of ${values.join(", ")}`;
  return field(
    { type: "enum", values: [...values] },
    { type: "string", enum: [...values] },
    says,
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
  const says = isBounded ? `a number from ${min} to ${max}` : "a number";
  return field(
    { type: "number", min, max, custom: checked("number", isShort) },
    { type: "number", ...(isBounded && { minimum: min, maximum: max }) },
    decimals === undefined ? says : `${says} with at most ${decimals} decimals`,
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

export function object<F extends Fields>(fields: F, notes: Notes = {}): Field<Infer<F>, false> {
  const schema = objectSchema(fields);
  return {
    ...field<Infer<F>>(
      { type: "object", props: rules(fields), strict: "remove" },
      schema,
      "an object",
      notes,
    ),
    fields,
  };
}

/**
 * An object whose fields depend on the value of the field `by` beside it. Where that value is none
 * of the forms', only that it is an object is checked: `by` itself is the error then.
 */
export function variants<V extends Record<string, Fields>>(
  by: string,
  forms: V,
  notes: Notes = {},
): Field<{ [K in keyof V]: Infer<V[K]> }[keyof V], false> {
  const checks = new Map(Object.entries(forms).map(([name, fields]) => [name, compiled(fields)]));
  const check = (
    value: unknown,
    errors: Wrong[],
    _schema: unknown,
    path: string,
    parent: Record<string, unknown>,
  ) => {
    if (!isObject(value)) {
      errors.push({ type: "wrong" });
      return value;
    }
    const form = parent[by] as string;
    const result = checks.get(form)?.(value) ?? true;
    if (result !== true) errors.push(...within(path, forms[form] as Fields, result));
    return value;
  };
  const schemas = [...new Set(Object.values(forms))].map(objectSchema);
  return field<never>({ type: "custom", check }, { anyOf: schemas }, "an object", notes);
}

/**
 * An object whose own field `by` names its form. Where it names none, that and the fields that all
 * forms share are checked.
 * @param misfits says which fields, right by themselves, do not fit one another, and what they may be
 */
export function formed<const B extends string, V extends Record<string, Fields>>(
  by: B,
  forms: V,
  {
    misfits = () => [],
    ...notes
  }: { misfits?: (right: Record<string, never>) => [field: string, says: string][] } & Notes = {},
): Field<{ [K in keyof V & string]: Infer<V[K]> & Record<B, K> }[keyof V & string], false> {
  const names = Object.keys(forms);
  const [first = {}, ...others] = Object.values(forms);
  const isShared = ([name, inner]: [string, Field]) => others.every((form) => form[name] === inner);
  const shared = Object.fromEntries(Object.entries(first).filter(isShared));
  const whole = (fields: Fields, named: string[]) => {
    const all: Fields = { [by]: oneOf(named), ...fields };
    return { all, check: compiled(all) };
  };
  const byName = new Map(Object.entries(forms).map(([name, form]) => [name, whole(form, [name])]));
  const nameless = whole(shared, names);
  const check = (value: unknown, errors: Wrong[], _schema: unknown, path: string) => {
    if (!isObject(value)) {
      errors.push({ type: "wrong" });
      return value;
    }
    const { all, check: checkForm } = byName.get(value[by] as string) ?? nameless;
    const result = checkForm(value);
    const wrong = result === true ? [] : within(path, all, result);
    const isRight = ([name]: [string, unknown]) =>
      !wrong.some((each) => each.field === `${path}.${name}`);
    const right = Object.fromEntries(Object.entries(value).filter(isRight));
    const unfit = misfits(right as Record<string, never>).map(([name, says]) => {
      return { type: "wrong", field: `${path}.${name}`, says };
    });
    errors.push(...wrong, ...unfit);
    return value;
  };
  const schemas = [...byName.values()].map(({ all }) => objectSchema(all));
  return field<never>({ type: "custom", check }, { anyOf: schemas }, "an object", notes);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The errors of an object at that path, for the object around it. */
function within(path: string, fields: Fields, errors: (ValidationError & Wrong)[]): Wrong[] {
  return errors.map(({ field: inner }) => {
    return { type: "wrong", field: `${path}.${inner}`, says: saysAt(fields, inner) };
  });
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
  const says = `${HTTPS_URL} with a public host name`;
  return normalised((value) => (isRight(value) ? value : null), says, URL_SCHEMA, {
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

/**
 * Whether a name may be a caller's own: none that an object has from its prototype or that changes it,
 * and none by which the database's driver would read an object as something else.
 */
export function isOwnName(name: string): boolean {
  return !["__proto__", "constructor", "prototype", "_bsontype"].includes(name) && name[0] !== "$";
}

/**
 * Texts by names that the caller chooses.
 * @param max how many
 * @param fields of names that have to be there, in a form of their own
 */
export function textMap<F extends Fields = Fields>({
  max,
  fields = {} as F,
  ...notes
}: { max: number; fields?: F } & Notes): Field<Infer<F> & Record<string, string>, false> {
  const isText = (value: unknown, longest: number) =>
    typeof value === "string" && value.length <= longest && isClean(value);
  const checkFields = compiled(fields, "keep");
  const check = (value: unknown, errors: Wrong[], _schema: unknown, path: string) => {
    const entries = isObject(value) ? Object.entries(value) : null;
    const isRight = ([name, each]: [string, unknown]) =>
      isText(name, 256) && name !== "" && isOwnName(name) && isText(each, 512);
    if (!entries || entries.length > max || !entries.every(isRight)) errors.push({ type: "wrong" });
    const result = isObject(value) ? checkFields(value) : true;
    if (result !== true) errors.push(...within(path, fields, result));
    return value;
  };
  const schema = {
    ...objectSchema(fields),
    maxProperties: max,
    additionalProperties: { type: "string", maxLength: 512 },
  };
  const says = `an object of at most ${max} texts of at most 512 characters, with plain names of 1 to 256`;
  return { ...field<never>({ type: "custom", check }, schema, says, notes), fields };
}

export function list<T>(
  item: Field<T, false>,
  { min = 0, max, ...notes }: { min?: number; max: number } & Notes,
): Field<T[], false> {
  return {
    ...field<T[]>(
      { type: "array", items: item.rule, min, max },
      { type: "array", items: item.schema, ...(min > 0 && { minItems: min }), maxItems: max },
      min > 0 ? `a list of ${min} to ${max}` : `a list of at most ${max}`,
      notes,
    ),
    ...(item.fields && { fields: item.fields }),
    itemSays: item.says,
  };
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

export function optional<T>(inner: Field<T, false>): Field<T, true> {
  return { ...inner, rule: { ...inner.rule, optional: true }, optional: true };
}

export function nullable<T>(inner: Field<T, false>): Field<T | null, false> {
  const { description, ...schema } = inner.schema;
  return {
    ...inner,
    rule: { ...inner.rule, nullable: true },
    schema: { ...(description ? { description } : {}), anyOf: [schema, { type: "null" }] },
    says: `${inner.says}, or null`,
  };
}

/** The JSON Schema of an object with these fields. */
export function objectSchema(fields: Fields): JsonSchema {
  const names = Object.keys(fields);
  const required = names.filter((name) => !fields[name]?.optional);
  return {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, fields[name]?.schema])),
    ...(required.length > 0 && { required }),
  };
}

function rules(fields: Fields): Record<string, Rule> {
  return Object.fromEntries(Object.entries(fields).map(([name, { rule }]) => [name, rule]));
}

const { messages: DEFAULT_MESSAGES } = new FastestValidator();
const validator = new FastestValidator({
  useNewCustomCheckerFunction: true,
  considerNullAsAValue: true,
  // What to say is ours (`says`). The library's own sentences would quote the value, and fail where
  // it cannot be made a text.
  messages: Object.fromEntries(Object.keys(DEFAULT_MESSAGES).map((type) => [type, ""])),
});

/** The library takes a rule that stands in two places for a cycle, and leaves its check out there. */
function copiesOf(all: Record<string, Rule>): Record<string, Rule> {
  return Object.fromEntries(Object.entries(all).map(([name, rule]) => [name, copyOf(rule)]));
}

function copyOf(rule: Rule): Rule {
  const { items, props } = rule as { items?: Rule; props?: Record<string, Rule> };
  return {
    ...rule,
    ...(items && { items: copyOf(items) }),
    ...(props && { props: copiesOf(props) }),
  };
}

/** @param others what becomes of fields that have no definition */
function compiled(
  fields: Fields,
  others: "remove" | "keep" = "remove",
): (value: object) => true | (ValidationError & Wrong)[] {
  return validator.compile({
    $$root: true,
    type: "object",
    props: copiesOf(rules(fields)),
    strict: others === "remove" ? "remove" : false,
  }) as (value: object) => true | (ValidationError & Wrong)[];
}

/**
 * Which fields, right by themselves, do not fit one another, and what they may be.
 * @param isWrong whether a field is known to be wrong; what is wrong is not among the right
 */
type Misfits<T> = (right: T, isWrong: (path: string) => boolean) => [path: string, says: string][];

/** What is left of a value where its wrong parts are taken out, however deep they lie. */
export type Partly<T> = T extends (infer E)[]
  ? Partly<E>[]
  : T extends object
    ? { [K in keyof T]?: Partly<T[K]> }
    : T;

/**
 * A check for objects with these fields. It trims and drops in place, returns the object typed, and
 * fails with VALIDATION, naming every wrong field and what it may be.
 */
export function checker<F extends Fields>(
  fields: F,
  misfits: Misfits<Partly<Infer<F>>> = () => [],
): (value: unknown) => Infer<F> {
  const check = compiled(fields);
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return fail("VALIDATION", "The body must be a JSON object");
    }
    const result = check(value);
    const wrong = result === true ? [] : result;
    const paths = new Set(wrong.map(({ field: path }) => path));
    const right = paths.size > 0 ? without(paths, value, "") : value;
    const isWrong = (path: string) => isWithin(paths, path);
    const unfit = misfits(right as never, isWrong)
      .filter(([path]) => !isWrong(path))
      .map(([path, says]) => `${path} must be ${says}`);
    const lines = [...new Set([...linesOf(fields, wrong), ...unfit])];
    if (lines.length === 0) return value as Infer<F>;
    const more = lines.length - MOST_LINES;
    const told = more > 0 ? [...lines.slice(0, MOST_LINES), `and ${more} more`] : lines;
    return fail("VALIDATION", told.join("; "));
  };
}

/** What is wrong and does not fit a message helps nobody. */
const MOST_LINES = 50;

function linesOf(fields: Fields, errors: (ValidationError & Wrong)[]): string[] {
  return errors.map(({ field: path, says }) => {
    return `${path} must be ${says ?? saysAt(fields, path)}`;
  });
}

/** The value without what lies at these paths. */
function without(paths: Set<string>, value: unknown, path: string): unknown {
  if (paths.has(path)) return undefined;
  if (Array.isArray(value)) return value.map((each, i) => without(paths, each, `${path}[${i}]`));
  if (!isObject(value)) return value;
  const prefix = path === "" ? "" : `${path}.`;
  const entries = Object.entries(value).map(([name, inner]) => {
    return [name, without(paths, inner, `${prefix}${name}`)];
  });
  return Object.fromEntries(entries);
}

/** Whether a path, or one around it, is among these. */
function isWithin(paths: Set<string>, path: string): boolean {
  const isAround = (each: string) => path.startsWith(`${each}.`) || path.startsWith(`${each}[`);
  return [...paths].some((each) => path === each || isAround(each));
}

/** What the field at a path such as `data.items[3].name` may be. */
function saysAt(fields: Fields, path: string): string {
  let inner: Fields = fields;
  let says = "valid";
  for (const part of path.split(".")) {
    const found = inner[part.replace(/\[\d+\]$/, "")];
    if (!found) break;
    says = (part.endsWith("]") && found.itemSays) || found.says;
    inner = found.fields ?? {};
  }
  return says;
}
