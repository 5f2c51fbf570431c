// The reference of the API as pages, made from the OpenAPI document: a list of all endpoints, and a
// page for each part of the API with its endpoints folded. Every endpoint can be tried there. RapiDoc,
// Redoc and Scalar take at least five times as long to show the document, and need inline styles.

import GithubSlugger from "github-slugger";
import { html, type Markup } from "../pay/html.ts";

/** The parts of the OpenAPI document that the reference shows. */
export interface OpenApi {
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: object;
  components: object;
}

interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  parameters: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { description: string; content?: Content }>;
}

interface Parameter {
  name: string;
  in: string;
  required: boolean;
  description?: string | undefined;
  schema: Schema;
}

type Content = Record<string, { schema: Schema; example?: unknown }>;

interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  oneOf?: Schema[];
  anyOf?: Schema[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
}

type Schemas = Record<string, Schema>;

/** A part of the API, such as the payment links. */
export interface ReferencePart {
  href: string;
  title: string;
  description: string;
  endpoints: Endpoint[];
  schemas: Schemas;
}

interface Endpoint extends Operation {
  id: string;
  /** POST and the like; EVENT for what payrail sends. */
  method: string;
  path: string;
}

/**
 * The parts of the API with their endpoints.
 * @param under the address of the list of all endpoints
 */
export function toParts(document: OpenApi, under: string): ReferencePart[] {
  const slugger = new GithubSlugger();
  const { schemas } = document.components as { schemas: Schemas };
  const webhooks = document.webhooks as OpenApi["paths"];
  const endpoints = [
    ...Object.entries(document.paths).flatMap(([path, methods]) => toEndpoints(path, methods)),
    ...Object.entries(webhooks).flatMap(([type, methods]) => toEndpoints(type, methods, "event")),
  ];
  return document.tags.map(({ name, description }) => ({
    href: `${under}/${slugger.slug(name)}`,
    title: name,
    description,
    endpoints: endpoints.filter(({ tags }) => tags.includes(name)),
    schemas,
  }));
}

const toEndpoints = (path: string, methods: Record<string, Operation>, only?: string) =>
  Object.entries(methods).map(([method, operation]): Endpoint => {
    const name = (only ?? method).toUpperCase();
    return { ...operation, id: operation.operationId, method: name, path };
  });

/** The page with the list of all endpoints. */
export function allEndpoints(parts: ReferencePart[]): Markup {
  const lists = parts.map(({ href, title, description, endpoints }) => {
    const rows = endpoints.map(
      (each) => html`<li><a href="${href}#${each.id}">${headOf(each)}</a></li>`,
    );
    return html`<details class="part">
        <summary><strong>${title}</strong> ${description}</summary>
        <ul>${rows}</ul>
      </details>
      `;
  });
  return html`<h1>API reference</h1>
    <p>Every endpoint of this payrail, in parts. <a href="/docs/rest-api">REST API</a> has the rules
      of all of them; <a href="/openapi.json">/openapi.json</a> is the same as an OpenAPI 3.1
      document.</p>
    ${lists}`;
}

const headOf = ({ method, path, summary }: Endpoint) =>
  html`<span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code>
    <span class="summary">${summary}</span>`;

/** The page of one part. */
export function endpointsOf({ title, description, endpoints, schemas }: ReferencePart): Markup {
  const isCalled = endpoints.some(({ method }) => method !== "EVENT");
  const token = html`<p class="token"><label>Access token, to try the endpoints here; this tab keeps
      it until you close it <input id="token" type="password" autocomplete="off"></label></p>`;
  return html`<h1>${title}</h1>
    <p>${description}</p>
    ${isCalled ? token : null}
    ${endpoints.map((each) => endpoint(each, schemas))}`;
}

function endpoint(each: Endpoint, schemas: Schemas): Markup {
  const { id, description, requestBody, responses, method } = each;
  return html`<details class="endpoint" id="${id}">
      <summary>${headOf(each)}</summary>
      <p>${prose(description)}</p>
      ${parametersOf(each)}
      ${content(method === "EVENT" ? "Body of the event" : "Body", requestBody?.content, schemas)}
      ${Object.entries(responses).map(([status, answer]) => response(status, answer, schemas))}
      ${method === "EVENT" ? null : tryIt(each)}
    </details>
    `;
}

/** A parameter or a field, with its own fields below its description. */
function field(
  name: string,
  { required, where, schema, description }: Omit<Parameter, "name" | "in"> & { where?: string },
  inside: Markup | null = null,
): Markup {
  return html`<dt><code>${name}</code>${required ? html` <em>required</em>` : null}
        <span class="type">${where ? `${where}, ` : ""}${typeOf(schema)}</span></dt>
      <dd>${prose(description ?? "")}${inside}</dd>
      `;
}

function parametersOf({ parameters }: Endpoint): Markup | null {
  if (parameters.length === 0) return null;
  const each = parameters.map(({ name, in: where, ...rest }) => field(name, { where, ...rest }));
  return html`<h2>Parameters</h2><dl>${each}</dl>`;
}

function content(caption: string, media: Content | undefined, schemas: Schemas): Markup | null {
  const [first] = Object.values(media ?? {});
  if (first === undefined) return null;
  return html`<h2>${caption}</h2>
    ${fieldsOf(first.schema, schemas)}
    ${first.example === undefined ? null : example(first.example)}`;
}

/** A text of the document, in which names are between backticks. */
const prose = (text: string) =>
  text.split("`").map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));

const example = (value: unknown) => html`<pre><code>${JSON.stringify(value, null, 2)}</code></pre>`;

function response(
  status: string,
  { description, content: media }: Endpoint["responses"][string],
  schemas: Schemas,
): Markup {
  const kind = status.startsWith("2") ? "good" : "bad";
  const head = html`<span class="status ${kind}">${status}</span> ${prose(description)}`;
  if (kind === "bad" || !media) return html`<p class="answer">${head}</p>`;
  return html`<details class="answer"><summary>${head}</summary>
      ${content("Answer", media, schemas)}
    </details>`;
}

/** The deepest level of fields inside fields; deeper ones are left out. */
const MAX_DEPTH = 6;

/** The fields of an object, of the items of a list, or of each of several forms; null without any. */
function fieldsOf(given: Schema, schemas: Schemas, depth = 0): Markup | null {
  const { properties, required = [], items, oneOf, anyOf } = resolve(given, schemas);
  if (depth > MAX_DEPTH) return null;
  if (items) return fieldsOf(items, schemas, depth + 1);
  const forms = (oneOf ?? anyOf ?? []).flatMap((form) => {
    const fields = fieldsOf(form, schemas, depth + 1);
    return fields ? [{ fields, description: resolve(form, schemas).description }] : [];
  });
  if (forms.length > 1) {
    return html`${forms.map(
      ({ fields, description }) => html`<details class="form">
        <summary>${prose(description ?? "")}</summary>${fields}
      </details>`,
    )}`;
  }
  if (forms[0]) return forms[0].fields;
  if (!properties) return null;
  const each = Object.entries(properties).map(([name, of]) => {
    const schema = resolve(of, schemas);
    const stated = { required: required.includes(name), schema, description: schema.description };
    return field(name, stated, fieldsOf(schema, schemas, depth + 1));
  });
  return html`<dl>${each}</dl>`;
}

/** The schema itself; a description beside a reference stands for its own. */
function resolve(schema: Schema, schemas: Schemas): Schema {
  const { $ref, ...own } = schema;
  return $ref === undefined ? schema : { ...schemas[$ref.split("/").at(-1) as string], ...own };
}

function typeOf(schema: Schema): string {
  const { type, format, enum: values, const: only, items, oneOf, anyOf } = schema;
  if (schema.$ref !== undefined) return "object";
  if (values) return values.map((value) => JSON.stringify(value)).join(", ");
  if (only !== undefined) return JSON.stringify(only);
  if (oneOf ?? anyOf) {
    return [...new Set((oneOf ?? anyOf ?? []).map(typeOf))].join(" or ");
  }
  const name = [type ?? "any"].flat().join(" or ");
  if (items) return `list of ${typeOf(items)}`;
  return [format ? `${name} (${format})` : name, boundsOf(schema)].filter(Boolean).join(", ");
}

function boundsOf({ minimum, maximum, minLength, maxLength }: Schema): string {
  const [least, most] = [minimum ?? minLength, maximum ?? maxLength];
  const unit = minLength === undefined && maxLength === undefined ? "" : " characters";
  if (least !== undefined && most !== undefined) return `${least} to ${most}${unit}`;
  if (least !== undefined) return `at least ${least}${unit}`;
  return most === undefined ? "" : `at most ${most}${unit}`;
}

/** The form that sends a request to this payrail; page.js does it. */
function tryIt({ id, method, path, parameters, requestBody }: Endpoint): Markup {
  const inputs = parameters
    .filter(({ name }) => name !== "Prefer")
    .map(
      ({ name, in: where, required }) =>
        html`<label>${name} <input name="${name}" data-in="${where}"${required ? html` required` : null} autocomplete="off"></label>`,
    );
  const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const body = media && JSON.stringify(media.example ?? {}, null, 2);
  return html`<details class="try"><summary>Try it</summary>
      <form data-method="${method}" data-path="${path}" data-type="${type ?? ""}" aria-label="Try ${id}">
        ${inputs}
        ${body === undefined ? null : html`<label>Body <textarea name="body" rows="8" spellcheck="false">${body}</textarea></label>`}
        <button>Send ${method}</button>
        <pre hidden tabindex="0"><output></output></pre>
      </form>
    </details>`;
}
