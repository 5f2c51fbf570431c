// The named schemas of the OpenAPI document: each is defined once, in the components, and
// everything else refers to it. A name comes from the field that defines the schema. An object
// without one is named by its place in a named schema, so that every generator gives it one name.

import {
  type DocumentedForms,
  documented,
  IN_DOCUMENT,
  isObject,
  type JsonSchema,
} from "../../../shared/contracts/field.ts";

/**
 * Moves the named schemas of a document to its components, and leaves references.
 * @throws if two different schemas have one name
 */
export function withComponents<D extends { components: object }>(document: D): D {
  const schemas = new Map<string, unknown>();
  const whole = rewrite(document, schemas) as D;
  const sorted = [...schemas].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { ...whole, components: { ...whole.components, schemas: Object.fromEntries(sorted) } };
}

/** The name and the description of an object that has none of its own. */
interface Place {
  name: string;
  description?: unknown;
}

/** @param place left out outside of named schemas */
function rewrite(value: unknown, schemas: Map<string, unknown>, place?: Place): unknown {
  if (Array.isArray(value)) return value.map((each) => rewrite(each, schemas, place));
  if (!isObject(value)) return value;
  const { [IN_DOCUMENT]: more = {}, ...stated } = value as JsonSchema;
  const { forms, keywords, default: byDefault } = more;
  const needsName = forms !== undefined || isRecord(stated);
  const name = more.name ?? (needsName ? place?.name : undefined);
  if (name !== undefined) stated.description ??= place?.description;
  const inside = { name: name ?? place?.name, description: stated.description };
  const inner = forms
    ? ofForms(forms, stated, name, schemas)
    : Object.fromEntries(
        Object.entries(stated).map(([key, each]) => [
          key,
          rewriteMember(key, each, schemas, inside),
        ]),
      );
  const schema: JsonSchema = { ...inner, ...keywords };
  if (byDefault !== undefined) {
    schema.description = `${String(schema.description)}; ${inWords(byDefault)} if left out`;
  }
  return name === undefined ? schema : define(name, schema, schemas);
}

/** Whether a schema is that of an object with fields, not that of a map of texts. */
function isRecord({ type, properties = {} }: JsonSchema): boolean {
  return type === "object" && Object.keys(properties as object).length > 0;
}

/** @param name of the schema with the keyword; left out outside of named schemas */
function rewriteMember(
  keyword: string,
  value: unknown,
  schemas: Map<string, unknown>,
  { name, description }: Partial<Place>,
): unknown {
  if (name === undefined) return rewrite(value, schemas);
  if (keyword === "properties") {
    // A forbidden field becomes one of any type in clients, which then send it as null.
    const properties = Object.entries(value as Record<string, JsonSchema>).filter(
      ([, { not }]) => not === undefined,
    );
    return Object.fromEntries(
      properties.map(([key, each]) => [
        key,
        rewrite(each, schemas, { name: `${name}${pascal(key)}` }),
      ]),
    );
  }
  if (keyword === "items") return rewrite(value, schemas, { name: `${name}Item` });
  return rewrite(value, schemas, keyword === "anyOf" ? { name, description } : undefined);
}

/** A default value as a reader of the document sees it. */
function inWords(value: unknown): string {
  return typeof value === "string" ? `\`${value}\`` : JSON.stringify(value);
}

/**
 * Defines a named schema, or finds it defined by another field.
 * @returns a reference, with the description if it is not the defined one
 */
function define(name: string, schema: JsonSchema, schemas: Map<string, unknown>): JsonSchema {
  const before = schemas.get(name) as JsonSchema | undefined;
  const { description, example: _, ...same } = schema;
  if (before) {
    const { description: __, example: ___, ...there } = before;
    if (JSON.stringify(there) !== JSON.stringify(same)) {
      throw new Error(`Two different schemas have the name ${name}`);
    }
  } else {
    schemas.set(name, schema);
  }
  const isOwn = description !== undefined && before && description !== before.description;
  return { ...(isOwn ? { description } : {}), $ref: refTo(name) };
}

/** The schema of one of several forms. The forms have names if the whole schema has a name. */
function ofForms(
  { by, areApart, schemas: forms }: DocumentedForms,
  { description }: JsonSchema,
  name: string | undefined,
  schemas: Map<string, unknown>,
): JsonSchema {
  const all = Object.entries(forms).map(([form, schema]): [string, JsonSchema] => {
    const described = `${String(description)}: ${by === null ? "" : `${by} is `}${form}`;
    const own = { ...(name && { name: `${pascal(form)}${name}` }), ...schema[IN_DOCUMENT] };
    const whole = { ...(name && { description: described }), ...schema };
    return [form, rewrite(documented(whole, own), schemas) as JsonSchema];
  });
  const mapping = Object.fromEntries(all.map(([form, { $ref }]) => [form, $ref]));
  return {
    ...(description !== undefined && { description }),
    // Otherwise a value may fit several of them.
    [by !== null || areApart ? "oneOf" : "anyOf"]: all.map(([, schema]) => schema),
    ...(by !== null && name && { discriminator: { propertyName: by, mapping } }),
  };
}

function refTo(name: string): string {
  return `#/components/schemas/${name}`;
}

/** A name, such as international_bank or openWallet, as a part of a schema's name. */
export function pascal(name: string): string {
  return name.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
