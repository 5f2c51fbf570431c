// Fields of objects, maps and lists. Unknown keys of an object are dropped.

import { findUnclean, shownName, tooLong } from "../texts.ts";
import { compile, within } from "./checker.ts";
import {
  documented,
  type Field,
  type Fields,
  field,
  type Infer,
  isObject,
  type Notes,
  objectSchema,
  rules,
  type Wrong,
} from "./field.ts";
import { oneOf } from "./fields.ts";

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

/** A check in fastest-validator's form, by the errors of an object; any other value is wrong. */
function objectCheck(
  findWrong: (
    value: Record<string, unknown>,
    path: string,
    parent: Record<string, unknown>,
  ) => Wrong[],
) {
  return (
    value: unknown,
    errors: Wrong[],
    _schema: unknown,
    path: string,
    parent: Record<string, unknown>,
  ) => {
    errors.push(...(isObject(value) ? findWrong(value, path, parent) : [{ type: "object" }]));
    return value;
  };
}

/**
 * An object with fields that depend on the value of the field `by` beside it. If that value names
 * no form, only the type of the object is checked, because `by` itself is the error then.
 */
export function unionBy<V extends Record<string, Fields>>(
  by: string,
  forms: V,
  notes: Notes = {},
): Field<{ [K in keyof V]: Infer<V[K]> }[keyof V], false> {
  const byName = new Map<unknown, { fields: Fields; check: ReturnType<typeof compile> }>(
    Object.entries(forms).map(([name, fields]) => [name, { fields, check: compile(fields) }]),
  );
  const check = objectCheck((value, path, parent) => {
    const form = byName.get(parent[by]);
    return form ? within(path, form.fields, form.check(value)) : [];
  });
  const schemas = [...new Set(Object.values(forms))].map(objectSchema);
  return {
    ...field<never>({ type: "custom", check }, { anyOf: schemas }, "an object", notes),
    forms: { by, within: false, fields: forms },
  };
}

/**
 * An object with a field `by` that names its form. If it names none, that field and the fields that
 * all forms share are checked.
 * @param misfits returns the fields that are valid alone but contradict each other, with their
 *   allowed values
 */
export function taggedUnion<const B extends string, V extends Record<string, Fields>>(
  by: B,
  forms: V,
  {
    misfits = () => [],
    ...notes
  }: {
    misfits?: (right: Record<string, never>) => [field: string, expectation: string][];
  } & Notes = {},
): Field<{ [K in keyof V & string]: Infer<V[K]> & Record<B, K> }[keyof V & string], false> {
  const names = Object.keys(forms);
  const [first = {}, ...others] = Object.values(forms);
  const isShared = ([name, inner]: [string, Field]) => others.every((form) => form[name] === inner);
  const shared = Object.fromEntries(Object.entries(first).filter(isShared));
  const whole = (fields: Fields, named: string[]) => {
    const all: Fields = { [by]: oneOf(named, { note: "Which fields there are" }), ...fields };
    return { all, check: compile(all) };
  };
  const byName = new Map(Object.entries(forms).map(([name, form]) => [name, whole(form, [name])]));
  const nameless = whole(shared, names);
  const check = objectCheck((value, path) => {
    const { all, check: checkForm } = byName.get(value[by] as string) ?? nameless;
    const wrong = within(path, all, checkForm(value));
    const isRight = ([name]: [string, unknown]) =>
      !wrong.some((each) => each.field === `${path}.${name}`);
    const right = Object.fromEntries(Object.entries(value).filter(isRight));
    const unfit = misfits(right as Record<string, never>).map(([name, expectation]) => {
      return { type: "wrong", field: `${path}.${name}`, expectation };
    });
    return [...wrong, ...unfit];
  });
  const schemas = [...byName].map(([name, { all }]) => [name, objectSchema(all)] as const);
  const ofNames = [...byName].map(([name, { all }]) => [name, all]);
  const schema = documented(
    { anyOf: schemas.map(([, each]) => each) },
    { forms: { by, schemas: Object.fromEntries(schemas) } },
  );
  return {
    ...field<never>({ type: "custom", check }, schema, "an object", notes),
    forms: { by, within: true, fields: Object.fromEntries(ofNames) },
  };
}

/** An object of one form or of the other; each requires a field that the other lacks. */
export function either<A, B>(
  one: Field<A, false>,
  other: Field<B, false>,
  notes: Notes = {},
): Field<A | B, false> {
  const forms = {
    by: null,
    areApart: true,
    schemas: { one: one.schema, other: other.schema },
  } as const;
  return field<A | B>(
    { type: "multi", rules: [one.rule, other.rule] },
    documented({ anyOf: [one.schema, other.schema] }, { forms }),
    "an object",
    notes,
  );
}

/**
 * The rule that a name breaks which a caller may not choose: a name from an object's prototype, or
 * one by which the database's driver would read an object as another value. Null for any other.
 */
export function reservedName(name: string): string | null {
  if (name[0] === "$") return "another name: names that begin with $ are reserved";
  const isReserved = ["__proto__", "constructor", "prototype", "_bsontype"].includes(name);
  return isReserved ? "another name: this one is reserved" : null;
}

const LONGEST_NAME = 256;
const LONGEST_ENTRY = 512;

/** The errors of an entry of a map of texts, at most one. */
function findWrongEntry(name: string, value: unknown, path: string): Wrong[] {
  const wrong = findWrongName(name) ?? findWrongText(value);
  return wrong === null ? [] : [{ ...wrong, field: `${path}.${shownName(name)}` }];
}

function findWrongName(name: string): Wrong | null {
  const reserved = reservedName(name);
  if (reserved !== null) return { type: "wrong", expectation: reserved };
  const unclean = name === "" ? "is empty" : findUnclean(name);
  const fault = unclean ?? tooLong(name, LONGEST_NAME);
  const expectation = `an entry with a plain name of 1 to ${LONGEST_NAME} characters`;
  return fault === null ? null : { type: "wrong", expectation, fault: `its name ${fault}` };
}

function findWrongText(value: unknown): Wrong | null {
  const expectation = `a text of at most ${LONGEST_ENTRY} characters`;
  if (typeof value !== "string") return { type: "string", expectation };
  const fault = findUnclean(value) ?? tooLong(value, LONGEST_ENTRY);
  return fault === null ? null : { type: "wrong", expectation, fault };
}

/**
 * Texts under names that the caller chooses.
 * @param max the greatest number of names
 * @param fields the required names, each with its own form
 */
export function textMap<F extends Fields = Fields>({
  max,
  fields = {} as F,
  ...notes
}: { max: number; fields?: F } & Notes): Field<Infer<F> & Record<string, string>, false> {
  const checkFields = compile(fields, "keep");
  const check = objectCheck((value, path) => {
    const entries = Object.entries(value);
    if (entries.length > max) return [{ type: "wrong", fault: `has ${entries.length}` }];
    const others = entries.filter(([name]) => !Object.hasOwn(fields, name));
    const wrong = others.flatMap(([name, each]) => findWrongEntry(name, each, path));
    return [...wrong, ...within(path, fields, checkFields(value))];
  });
  const schema = {
    ...objectSchema(fields),
    maxProperties: max,
    additionalProperties: { type: "string", maxLength: LONGEST_ENTRY },
  };
  const expectation = `an object of at most ${max} texts`;
  // The type of all properties has to allow that of an optional one, where TypeScript reads it.
  const isLoose = Object.values(fields).some((each) => each.optional);
  const inDocument = isLoose ? { ...notes, keywords: { additionalProperties: true } } : notes;
  return {
    ...field<never>({ type: "custom", check }, schema, expectation, inDocument),
    fields,
    isOpen: true,
  };
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
    ...(item.forms && { forms: item.forms }),
    ...(item.isOpen && { isOpen: true }),
    itemExpectation: item.expectation,
  };
}
