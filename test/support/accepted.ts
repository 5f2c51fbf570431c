// Compares two JSON Schemas of contracts (shared/contracts/field.ts makes them): which values does
// one allow that the other refuses? Unknown properties are ignored by every reader, so they are
// never refused.

import { isObject, type JsonSchema } from "../../shared/contracts/field.ts";

/**
 * The values that `from` allows and `to` refuses.
 * @returns a line for each, with the path of the value; empty if `to` allows all that `from` allows
 */
export function refused(from: JsonSchema, to: JsonSchema, path = ""): string[] {
  const wrong = (what: string) => [`${path || "the value"}: ${what}`];
  const choices = alternatives(from);
  if (choices) return choices.flatMap((choice) => refused(choice, to, path));
  const allowed = alternatives(to);
  if (allowed) {
    const tries = allowed.map((choice) => refused(from, choice, path));
    return tries.some((lines) => lines.length === 0) ? [] : (tries[0] ?? []);
  }
  const types = typesOf(to);
  if (types.length > 0) {
    const found = typesOf(from);
    if (found.length === 0) return wrong(`any value, where ${types.join(" or ")} is needed`);
    const strange = found.filter((type) => !isOneOf(type, types));
    if (strange.length > 0) return wrong(`${strange.join(" and ")}, not ${types.join(" or ")}`);
  }
  return [
    ...refusedValues(from, to).flatMap(wrong),
    ...refusedBounds(from, to).flatMap(wrong),
    ...refusedMembers(from, to, path),
  ];
}

/** A keyword's value, which is a text or a number. */
function said(value: unknown, missing = ""): string {
  if (value === undefined) return missing;
  return typeof value === "string" ? value : JSON.stringify(value);
}

function alternatives({ anyOf }: JsonSchema): JsonSchema[] | null {
  return Array.isArray(anyOf) ? (anyOf as JsonSchema[]) : null;
}

function typesOf({ type }: JsonSchema): string[] {
  return type === undefined ? [] : ([type].flat() as string[]);
}

function isOneOf(type: string, types: string[]): boolean {
  return types.includes(type) || (type === "integer" && types.includes("number"));
}

function refusedValues(from: JsonSchema, to: JsonSchema): string[] {
  const wrong: string[] = [];
  if (Array.isArray(to.enum)) {
    const allowed: unknown[] = to.enum;
    const found = Array.isArray(from.enum) ? (from.enum as unknown[]) : ["any other value"];
    const strange = found.filter((value) => !allowed.includes(value));
    if (strange.length > 0) wrong.push(`${strange.join(", ")} is not allowed`);
  }
  // A listed value is checked by the list.
  if (Array.isArray(from.enum)) return wrong;
  for (const keyword of ["pattern", "format"] as const) {
    if (to[keyword] !== undefined && to[keyword] !== from[keyword]) {
      wrong.push(`${keyword} ${said(from[keyword], "any")}, not ${said(to[keyword])}`);
    }
  }
  return wrong;
}

const LEAST = ["minimum", "exclusiveMinimum", "minLength", "minItems"] as const;
const MOST = ["maximum", "maxLength", "maxItems"] as const;

function refusedBounds(from: JsonSchema, to: JsonSchema): string[] {
  const bound = (schema: JsonSchema, keyword: string, none: number) =>
    (schema[keyword] as number | undefined) ?? none;
  const low = LEAST.filter((each) => bound(to, each, -Infinity) > bound(from, each, -Infinity));
  const high = MOST.filter((each) => bound(to, each, Infinity) < bound(from, each, Infinity));
  if (Array.isArray(from.enum)) return [];
  return [...low, ...high].map(
    (each) => `${each} ${said(from[each], "none")}, not ${said(to[each])}`,
  );
}

function refusedMembers(from: JsonSchema, to: JsonSchema, path: string): string[] {
  const lines: string[] = [];
  if (isObject(to.items)) {
    lines.push(...refused((from.items ?? {}) as JsonSchema, to.items, `${path}[]`));
  }
  const [has, wants] = [from, to].map(({ properties }) => (properties ?? {}) as Properties);
  const always = (from.required ?? []) as string[];
  const needed = (to.required ?? []) as string[];
  for (const name of needed.filter((each) => !always.includes(each))) {
    lines.push(`${join(path, name)}: may be missing`);
  }
  for (const [name, schema] of Object.entries(has as Properties)) {
    const wanted = (wants as Properties)[name];
    if (wanted) lines.push(...refused(schema, wanted, join(path, name)));
  }
  if (isObject(to.additionalProperties)) {
    const others = (from.additionalProperties ?? {}) as JsonSchema;
    lines.push(...refused(others, to.additionalProperties, join(path, "*")));
  }
  return lines;
}

type Properties = Record<string, JsonSchema>;

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
