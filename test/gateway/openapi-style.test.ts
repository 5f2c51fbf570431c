// The OpenAPI document as clients and readers need it: the rules that Redocly CLI (recommended) and
// Spectral (spectral:oas) check, and a description, an example and a name for everything.
// docs/change/contributing.md says how to run the linters themselves.

import { openApi } from "../../services/gateway/http/openapi.ts";
import { routes } from "../../services/gateway/routes/routes.ts";
import { schemaChecks } from "../support/openapi.ts";

type Json = Record<string, unknown>;

// As the gateway answers it.
const document = JSON.parse(JSON.stringify(openApi(routes({ sandbox: true })))) as {
  info: Json;
  servers: Json[];
  tags: Json[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json>; securitySchemes: Record<string, Json> };
};
interface Operation extends Json {
  operationId: string;
  tags: string[];
  parameters: Json[];
  requestBody?: { content: Record<string, Json> };
  responses: Record<string, { headers?: Record<string, Json>; content?: Record<string, Json> }>;
}

const { paths, webhooks, components } = document;
const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
const events = Object.values(webhooks).flatMap((methods) => Object.values(methods));
const named = operations.map((each): [string, Operation] => [each.operationId, each]);

/** All objects in a value, each with its place. */
function* objectsIn(value: unknown, place = ""): Generator<[string, Json]> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield [place, value as Json];
  for (const [key, inner] of Object.entries(value)) {
    // An example is any value, no schema.
    if (key !== "example" && key !== "examples") yield* objectsIn(inner, `${place}/${key}`);
  }
}
const objects = [...objectsIn(document)];

test("the document has a contact, a licence, a described server and described tags", () => {
  const { contact, license, summary, description } = document.info;
  expect([contact, license, summary, description]).not.toContain(undefined);
  for (const each of [...document.servers, ...document.tags]) {
    expect(each).toMatchObject({ description: expect.stringMatching(/\.$|document/) });
  }
  const tags = document.tags.map(({ name }) => name);
  expect(new Set([...operations, ...events].flatMap((each) => each.tags))).toEqual(new Set(tags));
});

test("events have a tag of their own, because generators write one file for each tag", () => {
  const ofOperations = new Set(operations.flatMap(({ tags }) => tags));
  for (const { tags } of events) {
    expect(tags).toEqual(["Events"]);
    expect(ofOperations).not.toContain("Events");
  }
});

test("operation ids are unique names of methods, without names of services", () => {
  const ids = [...operations, ...events].map(({ operationId }) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z]+$/);
});

test.each(named)(
  "%s has a summary, a description, examples and every kind of answer",
  (_, each) => {
    expect(each).toMatchObject({
      summary: expect.stringMatching(/^[A-Z].{3,100}$/),
      description: expect.stringMatching(/\.$/),
    });
    const statuses = Object.keys(each.responses);
    for (const kind of [/^2/, /^4/, /^5/]) expect(statuses.some((it) => kind.test(it))).toBe(true);
    const bodies = [each.requestBody, ...Object.values(each.responses)];
    for (const media of bodies.flatMap((body) => Object.values(body?.content ?? {}))) {
      expect(media.example ?? media.examples).toBeDefined();
      expect(JSON.stringify(media.example ?? "")).not.toContain('"text"');
    }
  },
);

test("every parameter, header, schema and field has a description", () => {
  const described = (schema: Json): boolean =>
    schema.description !== undefined ||
    (typeof schema.$ref === "string" && described(target(schema.$ref)));
  const all = [...operations, ...events];
  const parts: [string, Json][] = [
    ...Object.entries(components.schemas),
    ...Object.entries(components.securitySchemes),
    ...all.flatMap(({ operationId, parameters, responses }): [string, Json][] => [
      ...parameters.map((it): [string, Json] => [`${operationId} ${String(it.name)}`, it]),
      ...Object.values(responses).flatMap(({ headers = {} }) => Object.entries(headers)),
    ]),
    ...objects.flatMap(([place, { properties = {} }]) =>
      Object.entries(properties as Record<string, Json>).map(([name, schema]): [string, Json] => [
        `${place} ${name}`,
        schema,
      ]),
    ),
  ];
  expect(parts.filter(([, part]) => !described(part)).map(([name]) => name)).toEqual([]);
  expect(parts.length).toBeGreaterThan(1_000);
});

function target($ref: string): Json {
  return components.schemas[$ref.split("/").at(-1) as string] as Json;
}

test("every number has the format of a type that holds it", () => {
  const numbers = objects.filter(([, { type }]) => type === "number" || type === "integer");
  expect(numbers.length).toBeGreaterThan(100);
  for (const [place, { type, format, minimum, maximum }] of numbers) {
    const isSmall = Number(minimum) >= -(2 ** 31) && Number(maximum) < 2 ** 31;
    const whole = isSmall ? "int32" : "int64";
    expect([place, format]).toEqual([place, type === "number" ? "double" : whole]);
  }
});

test("every object with fields has a name, which is not a security scheme's or a generated class's", () => {
  const records = objects.filter(
    ([, { type, properties = {} }]) =>
      type === "object" && Object.keys(properties as object).length > 0,
  );
  const inline = records.filter(([place]) => !/^\/components\/schemas\/\w+$/.test(place));
  expect(inline.map(([place]) => place)).toEqual([]);
  // Generators write their own class ApiClient, and types with these ends for each operation.
  const taken = ["apiclient", "client", "configuration", "server"];
  const names = Object.keys(components.schemas);
  const all = [...names, ...Object.keys(components.securitySchemes)].map((name) =>
    name.toLowerCase(),
  );
  expect(all.filter((name) => taken.includes(name))).toEqual([]);
  expect(new Set(all).size).toBe(all.length);
  const ids = operations.map(({ operationId }) => operationId.toLowerCase());
  const ends = /(Response|Responses|Result|Params|Body|Data|Error|Errors)$/;
  const clashing = names.filter((name) => ids.includes(name.replace(ends, "").toLowerCase()));
  expect(clashing).toEqual([]);
});

test("no keyword is one that generators read wrongly", () => {
  for (const [place, schema] of objects) {
    // From a default they make required fields, and clients that send it where it is refused.
    expect([place, Object.hasOwn(schema, "default") && !place.endsWith("/responses")]).toEqual([
      place,
      false,
    ]);
    // Clients send a field of any type, which has to be absent, as null.
    expect([place, schema.not]).toEqual([place, undefined]);
    // A boolean in OpenAPI 3.0.
    expect([place, schema.exclusiveMinimum ?? schema.exclusiveMaximum]).toEqual([place, undefined]);
  }
  const types = objects.flatMap(([place, { content = {} }]) =>
    place.startsWith("/paths") ? Object.keys(content as object) : [],
  );
  expect(types.filter((type) => type.includes("*"))).toEqual([]);
});

test("where other names are texts, no named field is optional, so that one type fits all", () => {
  const maps = objects.filter(
    ([, { additionalProperties }]) => typeof additionalProperties === "object",
  );
  expect(maps.length).toBeGreaterThan(3);
  for (const [place, { properties = {}, required = [] }] of maps) {
    expect([place, Object.keys(properties as object)]).toEqual([place, required]);
  }
});

test("moments that have to be in the future are so in examples for years", () => {
  const inFiveYears = Date.now() + 5 * 365 * 24 * 3_600_000;
  const requests = Object.entries(components.schemas).filter(([name]) => name.endsWith("Request"));
  const examples = [
    ...operations.flatMap(({ requestBody }) => Object.values(requestBody?.content ?? {})),
    ...requests.flatMap(([, { properties = {} }]) =>
      Object.entries(properties as Record<string, Json>).map(([name, { example }]) => ({
        [name]: example,
      })),
    ),
    ...["SubscriptionCharge", "ConsumptionCharge", "SeatingCharge"].map(
      (name) => components.schemas[name]?.properties,
    ),
  ];
  const text = JSON.stringify(examples);
  const later = /"(?:expiredAt|startDate|now)":(?:\{[^}]*"example":)?"(?<moment>\d{4}[^"]+)"/g;
  const moments = [...text.matchAll(later)].map(({ groups }) => groups?.moment as string);
  expect(moments.length).toBeGreaterThan(8);
  expect(moments.filter((moment) => Date.parse(moment) < inFiveYears)).toEqual([]);
});

test("every named schema is used, and every reference has its schema", () => {
  const used = objects.flatMap(([, { $ref }]) => (typeof $ref === "string" ? [$ref] : []));
  const there = Object.keys(components.schemas).map((name) => `#/components/schemas/${name}`);
  expect(new Set(used)).toEqual(new Set(there));
});

test("a discriminator is a required field that each form has with its own value", () => {
  const divided = objects.filter(([, { discriminator }]) => discriminator !== undefined);
  expect(divided.length).toBeGreaterThan(4);
  for (const [place, { discriminator, oneOf }] of divided) {
    const { propertyName, mapping } = discriminator as {
      propertyName: string;
      mapping: Record<string, string>;
    };
    expect([place, Object.values(mapping)]).toEqual([
      place,
      (oneOf as Json[]).map(({ $ref }) => $ref),
    ]);
    for (const [value, $ref] of Object.entries(mapping)) {
      const { required, properties } = target($ref) as {
        required: string[];
        properties: Record<string, Json>;
      };
      expect(required).toContain(propertyName);
      expect(properties[propertyName]?.enum).toEqual([value]);
    }
  }
});

test("the example of each field matches its schema", () => {
  const checkAt = schemaChecks(document);
  const wrong = objects.filter(([place, { type, example }]) => {
    if (type === undefined || example === undefined) return false;
    const keys = place.split("/").slice(1);
    // Paths have slashes themselves.
    return keys[0] === "components" && !checkAt(...keys)(example);
  });
  expect(wrong.map(([place]) => place)).toEqual([]);
});

test("no text names an internal action, service or file", () => {
  const texts = objects.flatMap(([place, { summary, description }]) =>
    [summary, description].map((text) => [place, String(text)] as const),
  );
  const internal =
    /\b(accounts|payouts|wallet-ledger|payment-links|webhooks)\.[a-z]|wallet-ledger|npm run|docs\/|\bmoleculer\b|\bNATS\b|Mongo/i;
  expect(texts.filter(([, text]) => internal.test(text))).toEqual([]);
});

test("each event has its body, its headers and the answers that it expects", () => {
  for (const { parameters, requestBody, responses } of events) {
    const names = parameters.map(({ name }) => name);
    expect(names).toEqual(["webhook-id", "webhook-timestamp", "webhook-signature"]);
    expect(requestBody?.content["application/json"]?.example).toBeDefined();
    expect(Object.keys(responses).toSorted()).toEqual(["2XX", "410", "default"]);
  }
});
