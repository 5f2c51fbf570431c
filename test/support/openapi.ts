// Checks values against the schemas of an OpenAPI document.

import Ajv2020, { type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

const DOCUMENT = "openapi.json";

/** Finds the check of the schema at a place in the document, given by the keys that lead to it. */
export function schemaChecks(document: object): (...keys: string[]) => ValidateFunction {
  // Most checks run a few times, so optimizing their code takes longer than it saves.
  const ajv = new Ajv2020({ strict: false, allErrors: true, code: { optimize: false } });
  addFormats(ajv);
  ajv.addSchema(document, DOCUMENT);
  const compiled = new Map<string, ValidateFunction>();
  return (...keys) => {
    // Most places only refer to one of a few schemas, and a schema takes long to compile.
    const { $ref: pointer = `#/${keys.map(escaped).join("/")}` } = schemaAt(document, keys);
    const $ref = `${DOCUMENT}${pointer}`;
    const check = compiled.get($ref) ?? ajv.compile({ $ref });
    compiled.set($ref, check);
    return check;
  };
}

function schemaAt(document: object, keys: string[]): { $ref?: string } {
  return keys.reduce((inner, key) => (inner as Record<string, object>)[key] ?? {}, document);
}

/** A key as a part of a JSON pointer in a URI (RFC 6901). */
function escaped(key: string): string {
  return encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"));
}

/** The schema without additional properties, because undocumented fields must not leak. */
export function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const inner = Object.entries(schema).map(([key, value]) => [key, closed(value)]);
  const isObject = Object.hasOwn(schema, "properties") && !Object.hasOwn(schema, "minProperties");
  return { ...(isObject && { additionalProperties: false }), ...Object.fromEntries(inner) };
}
