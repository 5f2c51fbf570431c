// Examples of requests and answers, made from the examples of their fields.

import { IN_DOCUMENT, type JsonSchema } from "../../../shared/contracts/field.ts";

const OF_FORMATS: Record<string, string> = {
  uuid: "0198c0de-7a51-7000-8000-3f1d5a2b9c01",
  "date-time": "2026-01-05T09:30:00.000Z",
  email: "ada@example.com",
};

/**
 * An example of a schema: its own, or one made from the examples of its parts. Of several allowed
 * values it is the first.
 */
export function exampleOf(schema: JsonSchema): unknown {
  const { example, enum: values, anyOf, format, type, minimum, properties, items } = schema;
  const { forms, default: byDefault } = schema[IN_DOCUMENT] ?? {};
  if (example !== undefined) return example;
  if (byDefault !== undefined) return byDefault;
  const [first] = forms ? Object.values(forms.schemas) : ((anyOf ?? []) as JsonSchema[]);
  if (first) return exampleOf(first);
  if (Array.isArray(values)) return values[0];
  if (typeof format === "string" && OF_FORMATS[format]) return OF_FORMATS[format];
  if (type === "array") return [exampleOf(items as JsonSchema)];
  if (type === "boolean") return false;
  if (type === "integer" || type === "number") return minimum ?? 1;
  if (type !== "object") return "text";
  const entries = Object.entries((properties ?? {}) as Record<string, JsonSchema>);
  return Object.fromEntries(
    entries.filter(([, each]) => !each.not).map(([name, each]) => [name, exampleOf(each)]),
  );
}
