// /docs: the guides, and the reference of the API by Swagger UI, with one search over both; and the
// OpenAPI document. The policy of the pages lets them connect to this server only.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import swaggerUiPath from "swagger-ui-dist/absolute-path.js";
import type { Page } from "../http/aliases.ts";
import type { Answer } from "../http/answer.ts";
import { html, trusted } from "../pay/html.ts";
import { type Guide, renderGuides } from "./guides.ts";
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

/** The OpenAPI document, and the pages with all of their files. */
export function docsPages(document: OpenApi): Page[] {
  const guides = renderGuides();
  const entries = [
    ...guides.map(({ slug, title }) => ({ href: `/docs/${slug}`, title })),
    REFERENCE,
  ];
  const page = (href: string, content: Content) =>
    answer(HTML, layout(entries, href, content), { "content-security-policy": POLICY });
  const pages = guides.map(({ slug, title, html: markup }) => {
    const href = `/docs/${slug}`;
    return [href, page(href, { title, main: trusted(markup) })] as const;
  });
  const reference = page(REFERENCE.href, {
    title: REFERENCE.title,
    main: html`<div id="reference"></div>`,
    styles: ["swagger-ui.css"],
    scripts: ["swagger-ui-bundle.js", "reference.js"],
  });
  const files = Object.entries(FILES).map(([name, [type, path]]) => {
    return [`/docs/${name}`, answer(type, readFileSync(path))] as const;
  });
  const served: (readonly [path: string, Answer])[] = [
    ["/openapi.json", answer(JSON_TYPE, JSON.stringify(document))],
    // The first guide is the way in.
    ["/docs", (pages[0] as [string, Answer])[1]],
    ...pages,
    [REFERENCE.href, reference],
    ["/docs/search.json", answer(JSON_TYPE, JSON.stringify(searchable(guides, document)))],
    ...files,
  ];
  return served.map(([path, found]) => ({ path, serve: () => found }));
}

function answer(type: string, body: string | Buffer, headers: Record<string, string> = {}): Answer {
  return { status: 200, body, headers: { "content-type": type, ...headers } };
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
