// /docs: the guides, and the reference of the API by Swagger UI, with one search over both; and the
// OpenAPI document. The policy of the pages lets them connect to this server only.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import swaggerUiPath from "swagger-ui-dist/absolute-path.js";
import type { PageRoute } from "../http/aliases.ts";
import { cached } from "../http/cached.ts";
import { html, trusted } from "../pay/html.ts";
import { type Guide, renderGuides, SLUGS } from "./guides.ts";
import { type Content, layout } from "./layout.ts";

const HTML = "text/html; charset=utf-8";
const SCRIPT = "text/javascript; charset=utf-8";
const STYLE = "text/css; charset=utf-8";
const JSON_TYPE = "application/json; charset=utf-8";

const REFERENCE = { href: "/docs/reference", title: "API reference" };

const ours = (name: string) => join(import.meta.dirname, "browser", name);
const ofSwagger = (name: string) => join(swaggerUiPath(), name);
const miniSearch = join(createRequire(import.meta.url).resolve("minisearch"), "../../umd/index.js");

/** The files of the pages, by their names under /docs. */
const FILES: Record<string, [type: string, path: string]> = {
  "docs.css": [STYLE, ours("docs.css")],
  "search.js": [SCRIPT, ours("search.js")],
  "reference.js": [SCRIPT, ours("reference.js")],
  "icon.svg": ["image/svg+xml", ours("icon.svg")],
  "minisearch.js": [SCRIPT, miniSearch],
  "swagger-ui.css": [STYLE, ofSwagger("swagger-ui.css")],
  "swagger-ui-bundle.js": [SCRIPT, ofSwagger("swagger-ui-bundle.js")],
};

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The parts of the OpenAPI document that a search finds. */
interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
}
interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
}

/** The packages' files change only with the packages; an hour spares a reader most requests. */
const KEPT = { "cache-control": "public, max-age=3600" };

/**
 * The OpenAPI document, and the pages with all of their files.
 * @param document makes the document, when a reader first asks for it
 */
export function docsPages(document: () => OpenApi): PageRoute[] {
  const page = (path: string, content: () => Content, href = path) => {
    const policy = { "content-security-policy": POLICY };
    return served(path, HTML, () => layout(entries(), href, content()), policy);
  };
  const guide = (i: number, path = `/docs/${SLUGS[i]}`) => {
    const content = () => {
      const { title, html: markup } = renderGuides()[i] as Guide;
      return { title, main: trusted(markup) };
    };
    return page(path, content, `/docs/${SLUGS[i]}`);
  };
  const json = (path: string, content: () => object) =>
    served(path, JSON_TYPE, () => JSON.stringify(content()));

  return [
    json("/openapi.json", document),
    // The first guide is the way in.
    guide(0, "/docs"),
    ...SLUGS.map((_slug, i) => guide(i)),
    page(REFERENCE.href, () => ({
      title: REFERENCE.title,
      main: html`<div id="reference"></div>`,
      styles: ["swagger-ui.css"],
      scripts: ["swagger-ui-bundle.js", "reference.js"],
    })),
    json("/docs/search.json", () => searchable(renderGuides(), document())),
    ...Object.entries(FILES).map(([name, [type, path]]) =>
      served(`/docs/${name}`, type, () => readFile(path), KEPT),
    ),
  ];
}

/** The list of pages beside each page. */
function entries() {
  const guides = renderGuides().map(({ slug, title }) => ({ href: `/docs/${slug}`, title }));
  return [...guides, REFERENCE];
}

function served(
  path: string,
  type: string,
  read: () => Promise<Buffer> | string,
  headers: Record<string, string> = {},
): PageRoute {
  const serve = cached(async () => Buffer.from(await read()), { "content-type": type, ...headers });
  return { path, serve: (_params, _broker, request) => serve(request) };
}

/** What a search can find: the sections of the guides, and the operations of the API. */
function searchable(guides: Guide[], { paths }: OpenApi) {
  const sections = guides.flatMap((guide) =>
    guide.sections.map(({ id, title, text }) => {
      return { id: `/docs/${guide.slug}#${id}`, page: guide.title, title, text };
    }),
  );
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([
        method,
        {
          operationId,
          summary,
          tags: [tag = ""],
        },
      ]) => {
        const id = `${REFERENCE.href}#/${encodeURIComponent(tag)}/${operationId}`;
        const endpoint = `${method.toUpperCase()} ${path}`;
        return { id, page: REFERENCE.title, title: endpoint, text: summary };
      },
    ),
  );
  return [...sections, ...operations];
}
