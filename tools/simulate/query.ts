// The part of MongoDB's query language that the products use, over plain documents. The conformance
// test runs the same operations on a real mongod, so that both mean the same.

export type Doc = Readonly<{ _id: string | number } & Record<string, unknown>>;
export type Filter = Record<string, unknown>;

/**
 * The values at a path. A path through an array leads to a value of each element, or to the element
 * with that number.
 */
export function valuesAt(value: unknown, path: string): unknown[] {
  const [first, ...rest] = path.split(".");
  const under = (value as Record<string, unknown> | undefined)?.[first as string];
  if (rest.length === 0) return Array.isArray(under) ? [...under, under] : [under];
  const isNumbered = Array.isArray(under) && /^\d+$/.test(rest[0] as string);
  const each = Array.isArray(under) && !isNumbered ? under : [under];
  return each.flatMap((element) => valuesAt(element, rest.join(".")));
}

/**
 * Turns a filter into a test of documents: equality, $in, $ne, comparisons, $exists, $size, $type
 * "null", and $or at the top.
 */
export function matcher(filter: Filter): (doc: Doc) => boolean {
  const tests = Object.entries(filter).map(([path, condition]) => {
    if (path === "$or") {
      const any = (condition as Filter[]).map(matcher);
      return (doc: Doc) => any.some((matches) => matches(doc));
    }
    const test = buildCondition(condition);
    if (path.includes(".")) return (doc: Doc) => valuesAt(doc, path).some(test);
    return (doc: Doc) => test(doc[path]);
  });
  return (doc) => tests.every((matches) => matches(doc));
}

function buildCondition(condition: unknown): (value: unknown) => boolean {
  if (condition === null || typeof condition !== "object") return (value) => value === condition;
  const tests = Object.entries(condition).map(([operator, operand]) => {
    switch (operator) {
      case "$in":
        return (value: unknown) => (operand as unknown[]).includes(value);
      case "$nin":
        return (value: unknown) => !(operand as unknown[]).includes(value);
      case "$ne":
        return (value: unknown) => ![value].flat().includes(operand) && value !== operand;
      case "$gt":
        return (value: unknown) => (value as number) > (operand as number);
      case "$lt":
        return (value: unknown) => (value as number) < (operand as number);
      case "$gte":
        return (value: unknown) => (value as number) >= (operand as number);
      case "$lte":
        return (value: unknown) => (value as number) <= (operand as number);
      case "$exists":
        return (value: unknown) => (value !== undefined) === operand;
      case "$type":
        return (value: unknown) => operand === "null" && value === null;
      case "$size":
        return (value: unknown) => Array.isArray(value) && value.length === operand;
      default:
        throw new Error(`The simulated MongoDB does not know ${operator}`);
    }
  });
  return (value) => tests.every((test) => test(value));
}

/** Sorts documents by some fields, all ascending. */
export function sorted(docs: Doc[], order: Record<string, 1>): Doc[] {
  const fields = Object.keys(order);
  return docs.toSorted((a, b) => {
    for (const field of fields) {
      const difference = (a[field] as number) - (b[field] as number);
      if (difference !== 0) return difference;
    }
    return 0;
  });
}

/**
 * Runs an aggregation of $match, $sort, $project (fields, and $filter by membership), and $group
 * of all documents by sums.
 */
export function aggregated(docs: Iterable<Doc>, pipeline: Record<string, unknown>[]): Doc[] {
  let result = [...docs];
  for (const stage of pipeline) {
    if (stage.$match) result = result.filter(matcher(stage.$match as Filter));
    else if (stage.$sort) result = sorted(result, stage.$sort as Record<string, 1>);
    else if (stage.$project) result = result.map(projection(stage.$project as Filter));
    else if (stage.$group) result = [grouped(result, stage.$group as Record<string, Sum>)];
    else throw new Error(`The simulated MongoDB does not know ${Object.keys(stage).join()}`);
  }
  return result;
}

interface Sum {
  $sum: string | number;
}

/** One document of all; without any, MongoDB makes none, and the sums are 0 then too. */
function grouped(docs: Doc[], { _id: _all, ...sums }: Record<string, Sum>): Doc {
  const added = Object.entries(sums).map(([name, { $sum: by }]) => {
    const each = (doc: Doc) => (typeof by === "number" ? by : (doc[by.slice(1)] as number));
    return [name, docs.reduce((sum, doc) => sum + each(doc), 0)];
  });
  return { _id: "", ...Object.fromEntries(added) };
}

interface MembershipFilter {
  $filter: { input: string; as: string; cond: { $in: [string, unknown[]] } };
}

function projection(fields: Filter): (doc: Doc) => Doc {
  const entries = Object.entries(fields);
  return (doc) => {
    const projected: Record<string, unknown> = {};
    for (const [name, wanted] of entries) {
      projected[name] = wanted === 1 ? doc[name] : filtered(doc, wanted as MembershipFilter);
    }
    return { _id: doc._id, ...projected };
  };
}

function filtered(doc: Doc, { $filter: { input, as, cond } }: MembershipFilter): unknown[] {
  const [expression, members] = cond.$in;
  const field = expression.slice(`$$${as}.`.length);
  const elements = doc[input.slice(1)] as Record<string, unknown>[];
  return elements.filter((element) => members.includes(element[field]));
}

/** Applies an update to a document: $set, $max, $unset and $push. */
export function updated(doc: Doc, update: Record<string, Filter>): Doc {
  const after: Record<string, unknown> = { ...doc, ...update.$set };
  for (const [field, value] of Object.entries(update.$max ?? {})) {
    if (isGreater(value, doc[field])) after[field] = value;
  }
  for (const field of Object.keys(update.$unset ?? {})) delete after[field];
  for (const [field, { $each }] of Object.entries(update.$push ?? {}) as [string, Pushed][]) {
    after[field] = [...(doc[field] as unknown[]), ...$each];
  }
  return Object.freeze(after as Doc);
}

/**
 * Compares in the order of BSON: of documents with the same fields the first different field
 * decides.
 */
function isGreater(value: unknown, than: unknown): boolean {
  if (than === undefined) return true;
  if (typeof value !== "object") return (value as number) > (than as number);
  const other = than as Record<string, unknown>;
  const first = Object.entries(value as object).find(([field, each]) => each !== other[field]);
  return first !== undefined && isGreater(first[1], other[first[0]]);
}

interface Pushed {
  $each: unknown[];
}
