// A field: one definition of a value gives its check (fastest-validator), its JSON Schema (OpenAPI,
// the actions' page), its TypeScript type and the sentence for a caller's error.

export type JsonSchema = Record<string, unknown>;

/** The rule for fastest-validator. */
export type Rule = Record<string, unknown>;

export interface Field<T = unknown, Optional extends boolean = boolean> {
  rule: Rule;
  schema: JsonSchema;
  /** The allowed values, to stand behind "must be" in an error. */
  expectation: string;
  optional: Optional;
  /** The fields of an object, or of the items of a list, for messages and documents. */
  fields?: Fields;
  /** Whether an object may have other names than its fields. */
  isOpen?: boolean;
  /** The forms of an object whose fields depend on the value of another field. */
  forms?: Forms;
  /** For a list, the allowed values of each item. */
  itemExpectation?: string;
  /** Carries the type only; never set. */
  readonly type?: T;
}

export type Fields = Record<string, Field>;

export interface Forms {
  /** The field that names the form. */
  by: string;
  /** Whether that field is in the object itself, or beside it. */
  within: boolean;
  /** All fields of each form. */
  fields: Record<string, Fields>;
}

type TypeOf<F> = F extends Field<infer T> ? T : never;
type OptionalKeys<F extends Fields> = {
  [K in keyof F]: F[K] extends Field<unknown, true> ? K : never;
}[keyof F];

/** The TypeScript type of an object with these fields. */
export type Infer<F extends Fields> = {
  [K in Exclude<keyof F, OptionalKeys<F>>]: TypeOf<F[K]>;
} & { [K in OptionalKeys<F>]?: TypeOf<F[K]> };

/** The texts of a field in documents, beside its type. */
export interface Notes {
  note?: string;
  example?: unknown;
}

export function field<T>(
  rule: Record<string, unknown>,
  schema: JsonSchema,
  expectation: string,
  { note, example }: Notes = {},
): Field<T, false> {
  const notes = { ...(note && { description: note }), ...(example !== undefined && { example }) };
  return {
    rule: { nullable: false, ...rule },
    schema: { ...schema, ...notes },
    expectation,
    optional: false,
  };
}

/** The data that our own checks add to an error: the inner field, and its allowed values. */
export interface Wrong {
  type: string;
  field?: string;
  expectation?: string;
}

/**
 * A check in fastest-validator's form: it adds an error if the value is wrong. The library also
 * calls it for a missing field and for another type, and reports those errors itself. An object may
 * have a toString that is no function.
 */
export function checked(type: "string" | "number", isRight: (value: never) => boolean) {
  return (value: never, errors: { type: string }[]) => {
    if (typeof value === type && !isRight(value)) errors.push({ type: "wrong" });
    return value;
  };
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
    expectation: `${inner.expectation}, or null`,
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

export function rules(fields: Fields): Record<string, Rule> {
  return Object.fromEntries(Object.entries(fields).map(([name, { rule }]) => [name, rule]));
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
