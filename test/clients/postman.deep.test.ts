// The collection for Postman and Bruno opens, and is a walk: its requests, with their own scripts,
// get from the first to the last one against a running payrail without a failure.

import { readFileSync } from "node:fs";
import { Script } from "node:vm";
// @ts-expect-error The package's types are those of another version.
import postman from "postman-collection";
import { routes } from "../../services/gateway/routes/routes.ts";
import { startWorld, type World } from "../support/world.ts";

const FILE = "clients/postman/generated/payrail.postman_collection.json";

interface Field {
  key: string;
  value: string;
  disabled?: boolean;
}
interface Request {
  method: string;
  headers: { all(): Field[] };
  url: {
    path: string[];
    variables: { get(name: string): string };
    query: { all(): Field[] };
  };
  body?: { mode: string; raw: string; urlencoded: { toString(): string } };
}
interface Item {
  name: string;
  request: Request & { auth?: { type: string; parameters(): { get(name: string): string } } };
  events: { all(): { listen: string; script: { toSource(): string } }[] };
}
interface Collection {
  forEachItem(visit: (item: Item) => void): void;
  variables: { toObject(): Record<string, string> };
}
const { Collection } = postman as { Collection: new (json: unknown) => Collection };

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.stop());

/** Every request of the collection by its name, in order. */
function openCollection() {
  const collection = new Collection(JSON.parse(readFileSync(FILE, "utf8")));
  const items: Item[] = [];
  collection.forEachItem((item) => void items.push(item));
  return { collection, items };
}

/** The text with the collection's variables in it. */
function filled(text: string, variables: Record<string, string>): string {
  return text.replaceAll(/\{\{(\$?\w+)\}\}/g, (_, name: string) => {
    const value = name === "$guid" ? crypto.randomUUID() : variables[name];
    if (!value) throw new Error(`Nothing has set ${name}`);
    return value;
  });
}

async function send({ request }: Item, variables: Record<string, string>) {
  const { method, url, headers, body, auth } = request;
  const path = url.path.map((part) => {
    const value = part.startsWith(":") ? url.variables.get(part.slice(1)) : part;
    return encodeURIComponent(filled(value, variables));
  });
  const given = headers.all().filter(({ disabled }) => !disabled);
  const asked = url.query.all().filter(({ disabled }) => !disabled);
  const query = new URLSearchParams(
    Object.fromEntries(asked.map(({ key, value }) => [key, value])),
  );
  const isForm = body?.mode === "urlencoded";
  const token = auth?.type === "bearer" ? auth.parameters().get("token") : "{{token}}";
  return fetch(`${variables.baseUrl}/${path.join("/")}?${query.toString()}`, {
    method,
    headers: {
      ...Object.fromEntries(given.map(({ key, value }) => [key, filled(value, variables)])),
      "content-type": isForm ? "application/x-www-form-urlencoded" : "application/json",
      authorization:
        auth?.type === "basic"
          ? `Basic ${btoa(`${variables.clientId}:${variables.clientSecret}`)}`
          : `Bearer ${filled(token, variables)}`,
    },
    ...(body && { body: filled(isForm ? body.urlencoded.toString() : body.raw, variables) }),
  });
}

/** The part of Postman's sandbox that the collection uses. */
function sandbox(variables: Record<string, string>, response: { code: number; body: string }) {
  const { code, body } = response;
  let tests = 0;
  const pm = {
    response: { code, json: () => JSON.parse(body) as unknown },
    collectionVariables: {
      set(name: string, value: string) {
        variables[name] = value;
      },
    },
    test(_name: string, check: () => void) {
      tests += 1;
      check();
    },
    expect: (value: unknown) => ({
      to: { be: { oneOf: (allowed: unknown[]) => expect(allowed).toContain(value) } },
    }),
  };
  return { pm, atob, tests: () => tests };
}

/** Runs the scripts of an item; the names are those of Postman. @returns the number of its tests */
function run(item: Item, listen: "prerequest" | "test", context: ReturnType<typeof sandbox>) {
  for (const event of item.events.all().filter((each) => each.listen === listen)) {
    new Script(event.script.toSource()).runInNewContext(context);
  }
  return context.tests();
}

test("every endpoint for an API client and its customers is a request", () => {
  const { items } = openCollection();
  const requests = items.map(({ request }) => `${request.method} /${request.url.path.join("/")}`);
  const endpoints = routes({ sandbox: true })
    // Operators get their tokens in another way, and acquirers sign what they send.
    .filter(({ path }) => !/^\/v1\/(admin|acquirers)\//.test(path));
  expect([...new Set(requests)].toSorted()).toEqual(
    endpoints.map(({ method, path }) => `${method} ${path}`).toSorted(),
  );
});

test("the walk gets to its end without a failure, and again", async () => {
  const { id, clientId, clientSecret } = await world.business();
  const { collection, items } = openCollection();
  const mine = { clientId, clientSecret, baseUrl: world.http.url };
  for (const round of [1, 2]) {
    const variables: Record<string, string> = { ...collection.variables.toObject(), ...mine };
    for (const item of items) {
      run(item, "prerequest", sandbox(variables, { code: 0, body: "" }));
      const answer = await send(item, variables);
      const response = { code: answer.status, body: await answer.text() };
      const place = { round, name: item.name, response };
      let tests = 0;
      try {
        tests = run(item, "test", sandbox(variables, response));
      } catch (error) {
        throw new Error(JSON.stringify(place), { cause: error });
      }
      expect({ ...place, tests }).toEqual({ ...place, tests: 1 });
    }
    expect(variables.businessId).toBe(id);
  }
  await world.verifyBooks();
});
