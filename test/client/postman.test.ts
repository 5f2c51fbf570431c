// The collection for Postman and Bruno opens, and its requests reach a running payrail.

import { readFileSync } from "node:fs";
import { Script } from "node:vm";
// @ts-expect-error The package's types are those of another version.
import postman from "postman-collection";
import { routes } from "../../services/gateway/routes/routes.ts";
import { startWorld, type World } from "../support/world.ts";

const FILE = "clients/postman/payrail.postman_collection.json";

interface Field {
  key: string;
  value: string;
  disabled?: boolean;
}
interface Request {
  method: string;
  headers: { all(): Field[] };
  url: { path: string[]; variables: { get(name: string): string } };
  body?: { mode: string; raw: string; urlencoded: { toString(): string } };
}
interface Item {
  name: string;
  request: Request;
  events: { all(): { script: { toSource(): string } }[] };
}
interface Collection {
  forEachItem(visit: (item: Item) => void): void;
  variables: { has(name: string): boolean };
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
    if (name === "$guid") return crypto.randomUUID();
    return variables[name] ?? "";
  });
}

async function send({ method, url, headers, body }: Request, variables: Record<string, string>) {
  const path = url.path.map((part) => {
    const value = part.startsWith(":") ? url.variables.get(part.slice(1)) : part;
    return encodeURIComponent(filled(value, variables));
  });
  const given = headers.all().filter(({ disabled }) => !disabled);
  const isForm = body?.mode === "urlencoded";
  return fetch(`${variables.baseUrl}/${path.join("/")}`, {
    method,
    headers: {
      ...Object.fromEntries(given.map(({ key, value }) => [key, filled(value, variables)])),
      "content-type": isForm ? "application/x-www-form-urlencoded" : "application/json",
      authorization: isForm
        ? `Basic ${btoa(`${variables.clientId}:${variables.clientSecret}`)}`
        : `Bearer ${variables.token}`,
    },
    ...(body && { body: isForm ? body.urlencoded.toString() : body.raw }),
  });
}

test("every endpoint is a request, and none is there twice", () => {
  const { items } = openCollection();
  const requests = items.map(({ request }) => `${request.method} /${request.url.path.join("/")}`);
  expect(new Set(requests).size).toBe(requests.length);
  const endpoints = routes({ sandbox: true }).filter(({ path }) => !path.startsWith("/v1/admin/"));
  expect(requests.toSorted()).toEqual(
    endpoints.map(({ method, path }) => `${method} ${path}`).toSorted(),
  );
});

test("the first request gets a token, which all the others use; every body of an example is valid", async () => {
  const business = await world.business();
  const { collection, items } = openCollection();
  const { clientId, clientSecret } = business;
  const variables: Record<string, string> = { clientId, clientSecret, baseUrl: world.http.url };
  const [first, ...others] = items;
  const answer = await send(first?.request as Request, variables);
  const script = first?.events.all()[0]?.script.toSource() ?? "";
  const json = await answer.json();
  new Script(script).runInNewContext({
    atob,
    pm: {
      response: { json: () => json },
      collectionVariables: {
        set: (name: string, value: string) => {
          variables[name] = value;
        },
      },
    },
  });
  expect(variables.businessId).toBe(business.id);
  expect(collection.variables.has("token")).toBe(true);

  for (const { name, request } of others) {
    const { status } = await send(request, variables);
    // The ids of the examples do not exist, and the bodies are right.
    expect([name, status]).toEqual([name, expect.anything()]);
    expect([name, [401, 405, 415, 500].includes(status)]).toEqual([name, false]);
  }
});
