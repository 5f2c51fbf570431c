// The checker of objects: it trims and drops in place, and names every wrong field in one error.

import FastestValidator, { type ValidationError } from "fastest-validator";
import { type FieldError, fail, failFields, wrongField } from "../errors.ts";
import { type Fields, type Infer, isObject, type Rule, rules, type Wrong } from "./field.ts";

/** An error of fastest-validator, which may carry the expectation of one of our checks. */
type Found = ValidationError & Wrong;

const { messages: DEFAULT_MESSAGES } = new FastestValidator();
const validator = new FastestValidator({
  useNewCustomCheckerFunction: true,
  considerNullAsAValue: true,
  // The sentences are ours (`expectation`). The library's own would quote the value, and would fail
  // for a value without a text.
  messages: Object.fromEntries(Object.keys(DEFAULT_MESSAGES).map((type) => [type, ""])),
});

/**
 * Copies rules, because the library takes a rule that is used in two places for a cycle and leaves
 * its check out.
 */
function copyRules(all: Record<string, Rule>): Record<string, Rule> {
  return Object.fromEntries(Object.entries(all).map(([name, rule]) => [name, copyRule(rule)]));
}

function copyRule(rule: Rule): Rule {
  const { items, props } = rule as { items?: Rule; props?: Record<string, Rule> };
  return {
    ...rule,
    ...(items && { items: copyRule(items) }),
    ...(props && { props: copyRules(props) }),
  };
}

/**
 * A check that compiles itself when it is first used, because a process would start later by all
 * those that it never uses.
 * @param others the treatment of fields that have no definition
 */
export function compile(
  fields: Fields,
  others: "remove" | "keep" = "remove",
): (value: object) => Found[] {
  let check: ((value: object) => true | Found[]) | undefined;
  return (value) => {
    check ??= validator.compile({
      $$root: true,
      type: "object",
      props: copyRules(rules(fields)),
      strict: others === "remove" ? "remove" : false,
    }) as (value: object) => true | Found[];
    const result = check(value);
    return result === true ? [] : result;
  };
}

/**
 * Finds fields that are valid alone but contradict each other, with their allowed values.
 * @param isWrong whether a field is known to be wrong; the right part of the value lacks it
 */
type Misfits<T> = (
  right: T,
  isWrong: (path: string) => boolean,
) => [path: string, expectation: string][];

/** A value without its wrong parts, however deep they lie. */
export type Partly<T> = T extends (infer E)[]
  ? Partly<E>[]
  : T extends object
    ? { [K in keyof T]?: Partly<T[K]> }
    : T;

/**
 * Makes a check for objects with these fields. The check trims and drops in place, returns the
 * object typed, and fails with VALIDATION, which names every wrong field with its allowed values.
 */
export function checker<F extends Fields>(
  fields: F,
  misfits: Misfits<Partly<Infer<F>>> = () => [],
): (value: unknown) => Infer<F> {
  const check = compile(fields);
  return (value) => {
    if (!isObject(value)) return fail("VALIDATION", "The body must be a JSON object");
    const wrong = check(value);
    const paths = new Set(wrong.map(({ field: path }) => path));
    const right = paths.size > 0 ? without(paths, value, "") : value;
    const isWrong = (path: string) => isWithin(paths, path);
    const unfit = misfits(right as never, isWrong)
      .filter(([path]) => !isWrong(path))
      .map(([path, expectation]) => wrongField(path, `must be ${expectation}`));
    const all = [...describeErrors(fields, wrong, value), ...unfit];
    return all.length === 0 ? (value as Infer<F>) : failFields(all);
  };
}

function describeErrors(fields: Fields, errors: Found[], value: object): FieldError[] {
  return errors.map((error) => {
    const { field: path, expectation = expectationAt(fields, path) } = error;
    const code = codeOf(error, value);
    const fault = error.fault ?? faultOf(code, valueAt(value, path));
    return wrongField(path, `must be ${expectation}${fault ? `, but ${fault}` : ""}`, code);
  });
}

/** What is wrong with a value that has another form than its field. */
function faultOf(code: FieldError["code"], value: unknown): string | null {
  if (code === "required") return "is missing";
  if (code === "wrong_type") return `is ${typeName(value)}`;
  return Array.isArray(value) ? `has ${value.length}` : null;
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (value === Infinity || value === -Infinity) return "larger than any number of the API";
  return (
    { string: "a text", number: "a number", boolean: "true or false" }[typeof value as string] ??
    "an object"
  );
}

const WRONG_TYPES = ["string", "number", "boolean", "object", "array"];

/** The library calls null a missing value. */
function codeOf({ type, field: path }: Found, value: object): FieldError["code"] {
  if (type === "required") return valueAt(value, path) === undefined ? "required" : "wrong_type";
  if (WRONG_TYPES.includes(type)) return "wrong_type";
  if (type === "arrayMax") return "too_many";
  return type === "arrayMin" ? "too_few" : "invalid";
}

function valueAt(value: unknown, path: string): unknown {
  const names = path.split(/[.[\]]+/).filter((name) => name !== "");
  return names.reduce<unknown>(
    (inner, name) => (inner as Record<string, unknown> | null | undefined)?.[name],
    value,
  );
}

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

/** Whether a path, or a path around it, is among these. */
function isWithin(paths: Set<string>, path: string): boolean {
  const isAround = (each: string) => path.startsWith(`${each}.`) || path.startsWith(`${each}[`);
  return [...paths].some((each) => path === each || isAround(each));
}

/** The allowed values of the field at a path such as `data.items[3].name`. */
function expectationAt(fields: Fields, path: string): string {
  let inner: Fields = fields;
  let expectation = "valid";
  for (const part of path.split(".")) {
    const found = inner[part.replace(/\[\d+\]$/, "")];
    if (!found) break;
    expectation = (part.endsWith("]") && found.itemExpectation) || found.expectation;
    inner = found.fields ?? {};
  }
  return expectation;
}

/** The errors of an inner object, with paths for the object around it. */
export function within(path: string, fields: Fields, errors: Found[]): Wrong[] {
  return errors.map(({ type, field: inner, fault }) => {
    const expectation = expectationAt(fields, inner);
    return { type, field: `${path}.${inner}`, expectation, ...(fault && { fault }) };
  });
}
