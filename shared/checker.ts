// The checker of objects: it trims and drops in place, and names every wrong field in one error.

import FastestValidator, { type ValidationError } from "fastest-validator";
import { fail } from "./errors.ts";
import { type Fields, type Infer, isObject, type Rule, rules, type Wrong } from "./field.ts";

const { messages: DEFAULT_MESSAGES } = new FastestValidator();
const validator = new FastestValidator({
  useNewCustomCheckerFunction: true,
  considerNullAsAValue: true,
  // What to say is ours (`expectation`). The library's own sentences would quote the value, and fail where
  // it cannot be made a text.
  messages: Object.fromEntries(Object.keys(DEFAULT_MESSAGES).map((type) => [type, ""])),
});

/** The library takes a rule that stands in two places for a cycle, and leaves its check out there. */
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

/** @param others what becomes of fields that have no definition */
export function compile(
  fields: Fields,
  others: "remove" | "keep" = "remove",
): (value: object) => true | (ValidationError & Wrong)[] {
  return validator.compile({
    $$root: true,
    type: "object",
    props: copyRules(rules(fields)),
    strict: others === "remove" ? "remove" : false,
  }) as (value: object) => true | (ValidationError & Wrong)[];
}

/**
 * Which fields, right by themselves, do not fit one another, and what they may be.
 * @param isWrong whether a field is known to be wrong; what is wrong is not among the right
 */
type Misfits<T> = (
  right: T,
  isWrong: (path: string) => boolean,
) => [path: string, expectation: string][];

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
  const check = compile(fields);
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
      .map(([path, expectation]) => `${path} must be ${expectation}`);
    const lines = [...new Set([...describeErrors(fields, wrong), ...unfit])];
    if (lines.length === 0) return value as Infer<F>;
    const more = lines.length - MOST_LINES;
    const told = more > 0 ? [...lines.slice(0, MOST_LINES), `and ${more} more`] : lines;
    return fail("VALIDATION", told.join("; "));
  };
}

/** What is wrong and does not fit a message helps nobody. */
const MOST_LINES = 50;

function describeErrors(fields: Fields, errors: (ValidationError & Wrong)[]): string[] {
  return errors.map(({ field: path, expectation }) => {
    return `${path} must be ${expectation ?? expectationAt(fields, path)}`;
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

/** The errors of an object at that path, for the object around it. */
export function within(path: string, fields: Fields, errors: (ValidationError & Wrong)[]): Wrong[] {
  return errors.map(({ field: inner }) => {
    return { type: "wrong", field: `${path}.${inner}`, expectation: expectationAt(fields, inner) };
  });
}
