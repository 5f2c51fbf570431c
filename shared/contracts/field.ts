// A field: one definition of a value gives its check (fastest-validator), its JSON Schema (OpenAPI,
// the actions' page), its TypeScript type and the sentence for a caller's error.

/**
 * The key of the part of a schema that is only for the OpenAPI document. It is a symbol and no
 * keyword, so that other readers of a schema (the comparison with the previous release, the
 * actions' page) do not see it.
 */
export const IN_DOCUMENT = Symbol("in the OpenAPI document");

export interface InDocument {
  /** The name under which the document defines the schema once. */
  name?: string;
  /**
   * The value that payrail uses for an absent field. The document has it in the description: from
   * the keyword `default`, generators make required fields, and clients that send it everywhere.
   */
  default?: unknown;
  /** Further keywords, for rules that a check has only in code. */
  keywords?: JsonSchema;
  /** The schema as one of several forms. */
  forms?: DocumentedForms;
}

export interface DocumentedForms {
  /** The required field whose value is the name of the form; null if there is no such field. */
  by: string | null;
  /** Whether a value has one form only, also without such a field. */
  areApart?: true;
  schemas: Record<string, JsonSchema>;
}

export type JsonSchema = Record<string, unknown> & { [IN_DOCUMENT]?: InDocument };

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

/** A field in documents, beside its type: its texts, and its parts of `InDocument`. */
export interface Notes extends Pick<InDocument, "name" | "default" | "keywords"> {
  note?: string;
  example?: unknown;
}

export function field<T>(
  rule: Record<string, unknown>,
  schema: JsonSchema,
  expectation: string,
  { note, example, ...inDocument }: Notes = {},
): Field<T, false> {
  const notes = { ...(note && { description: note }), ...(example !== undefined && { example }) };
  return {
    rule: { nullable: false, ...rule },
    schema: documented({ ...schema, ...notes }, inDocument),
    expectation,
    optional: false,
  };
}

/** Adds a part for the OpenAPI document to a schema. */
export function documented(schema: JsonSchema, more: InDocument): JsonSchema {
  if (Object.keys(more).length === 0) return schema;
  return { ...schema, [IN_DOCUMENT]: { ...schema[IN_DOCUMENT], ...more } };
}

/** What is wrong with a value, such as "is empty", to stand behind "but" in an error. */
export interface Fault {
  fault: string;
}

/** The data that our own checks add to an error: the inner field, its allowed values, its fault. */
export interface Wrong extends Partial<Fault> {
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
  // A named schema keeps its description, beside that of the field.
  const isNamed = schema[IN_DOCUMENT]?.name !== undefined;
  return {
    ...inner,
    rule: { ...inner.rule, nullable: true },
    schema: {
      ...(description ? { description } : {}),
      anyOf: [isNamed ? inner.schema : schema, { type: "null" }],
    },
    expectation: `${inner.expectation}, or null`,
  };
}

/** The JSON Schema of an object with these fields. */
export function objectSchema(fields: Fields): JsonSchema {
  const names = Object.keys(fields);
  const required = names.filter((name) => !fields[name]?.optional);
  const schema = {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, fields[name]?.schema])),
    ...(required.length > 0 && { required }),
  };
  const { by, fields: forms } = Object.values(fields).find(isDivided)?.forms ?? {};
  if (by === undefined || forms === undefined) return schema;
  const ofForm = (form: string) => [form, objectSchema(fieldsInForm(fields, by, form))];
  const schemas = Object.fromEntries(Object.keys(forms).map(ofForm));
  return documented(schema, { forms: { by, schemas } });
}

/** The field with one allowed value. */
export function literal<F extends Field>(whole: F, value: string): F {
  const { example: _, ...schema } = whole.schema;
  return { ...whole, schema: { ...schema, enum: [value] } };
}

/**
 * An object that the OpenAPI document shows as one of several forms.
 * @param by the required field whose value is the name of the form
 */
export function asOneOf<F extends Field>(whole: F, by: string, forms: Fields): F {
  const schemas = Object.fromEntries(
    Object.entries(forms).map(([name, { schema }]) => [name, schema]),
  );
  return { ...whole, schema: documented(whole.schema, { forms: { by, schemas } }) };
}

/** Whether the field's form depends on a field beside it. */
function isDivided({ forms }: Field): boolean {
  return forms !== undefined && !forms.within;
}

/** The fields of an object whose field `by` names this form. */
function fieldsInForm(fields: Fields, by: string, form: string): Fields {
  const inForm = ([name, each]: [string, Field]): [string, Field] => {
    if (name === by) return [name, literal(each, form)];
    if (!isDivided(each)) return [name, each];
    const schema = objectSchema(each.forms?.fields[form] ?? {});
    const { description } = each.schema;
    const isNullable = each.rule.nullable === true;
    const whole = isNullable ? { anyOf: [schema, { type: "null" }] } : schema;
    const { forms: _, ...rest } = each;
    return [name, { ...rest, schema: { ...(description ? { description } : {}), ...whole } }];
  };
  return Object.fromEntries(Object.entries(fields).map(inForm));
}

export function rules(fields: Fields): Record<string, Rule> {
  return Object.fromEntries(Object.entries(fields).map(([name, { rule }]) => [name, rule]));
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
