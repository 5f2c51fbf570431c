// The part of MongoDB's query language that the products use, over plain documents. The conformance
// test runs the same operations on a real mongod, so that both mean the same.

export type Doc = Readonly<{ _id: string | number } & Record<string, unknown>>;
export type Filter = Record<string, unknown>;

/** The values at a path. A path through an array leads to a value of each element. */
export function valuesAt(value: unknown, path: string): unknown[] {
  const [first, ...rest] = path.split(".");
  const under = (value as Record<string, unknown> | undefined)?.[first as string];
  if (rest.length === 0) return Array.isArray(under) ? [...under, under] : [under];
  const each = Array.isArray(under) ? under : [under];
  return each.flatMap((element) => valuesAt(element, rest.join(".")));
}

/**
 * Turns a filter into a test of documents: equality, $in, comparisons, $exists, $size, $type "null",
 * and $or at the top.
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

/** Sorts documents by some fields, 1 for ascending, -1 for descending. */
export function sorted(docs: Doc[], order: Record<string, 1 | -1>): Doc[] {
  const fields = Object.entries(order);
  return docs.toSorted((a, b) => {
    for (const [field, direction] of fields) {
      const difference = direction * ((a[field] as number) - (b[field] as number));
      if (difference !== 0) return difference;
    }
    return 0;
  });
}

interface Lookup {
  from: string;
  localField: string;
  foreignField: string;
  /** Variables of the pipeline, each a field of the document, as `$field`. */
  let?: Record<string, string>;
  pipeline: Record<string, unknown>[];
  as: string;
}

type Variables = Record<string, unknown>;

/**
 * Runs an aggregation of $match (a filter, or $expr with $eq), $sort, $limit, $lookup and $project
 * (fields, $filter by membership, and $slice from the end).
 * @param collection the documents of another collection
 */
export function aggregated(
  docs: Iterable<Doc>,
  pipeline: Record<string, unknown>[],
  collection: (name: string) => Doc[],
  variables: Variables = {},
): Doc[] {
  let result = [...docs];
  for (const stage of pipeline) {
    if (stage.$match) result = result.filter(stageMatcher(stage.$match as Filter, variables));
    else if (stage.$sort) result = sorted(result, stage.$sort as Record<string, 1 | -1>);
    else if (stage.$limit) result = result.slice(0, stage.$limit as number);
    else if (stage.$lookup) result = result.map(lookUp(stage.$lookup as Lookup, collection));
    else if (stage.$project) result = result.map(projection(stage.$project as Filter, variables));
    else throw new Error(`The simulated MongoDB does not know ${Object.keys(stage).join()}`);
  }
  return result;
}

function stageMatcher(filter: Filter, variables: Variables): (doc: Doc) => boolean {
  const { $expr } = filter;
  if (!$expr) return matcher(filter);
  const [field, variable] = ($expr as { $eq: [string, string] }).$eq;
  return (doc) => doc[field.slice(1)] === variables[variable.slice(2)];
}

function lookUp(lookup: Lookup, collection: (name: string) => Doc[]): (doc: Doc) => Doc {
  const { from, localField, foreignField, let: names = {}, pipeline, as } = lookup;
  return (doc) => {
    const found = collection(from).filter((each) =>
      valuesAt(each, foreignField).includes(doc[localField]),
    );
    const fields = Object.entries(names).map(([name, field]) => [name, doc[field.slice(1)]]);
    const variables = Object.fromEntries(fields) as Variables;
    return { ...doc, [as]: aggregated(found, pipeline, collection, variables) };
  };
}

interface MembershipFilter {
  $filter: { input: string; as: string; cond: { $in: [string, unknown[]] } };
}

interface Slice {
  $slice: [string, number];
}

function projection(fields: Filter, variables: Variables): (doc: Doc) => Doc {
  const entries = Object.entries(fields);
  return (doc) => {
    const projected: Record<string, unknown> = {};
    for (const [name, wanted] of entries) {
      const value = wanted === 1 ? doc[name] : computed(doc, wanted as object, variables);
      if (value !== undefined) projected[name] = value;
    }
    return { _id: doc._id, ...projected };
  };
}

function computed(doc: Doc, wanted: object, variables: Variables): unknown {
  if ("$slice" in wanted) {
    const [input, count] = (wanted as Slice).$slice;
    return (doc[input.slice(1)] as unknown[]).slice(count);
  }
  const { input, as, cond } = (wanted as MembershipFilter).$filter;
  const [expression, values] = cond.$in;
  const members = values.map((value) =>
    String(value).startsWith("$$") ? variables[String(value).slice(2)] : value,
  );
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
