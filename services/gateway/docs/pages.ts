// /docs: the guides and the reference of the API, with one search over both; and the OpenAPI
// document. The policy of the pages lets them connect to this server only.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fail } from "../../../shared/errors.ts";
import type { PageRoute } from "../http/aliases.ts";
import { cached } from "../http/cached.ts";
import { trusted } from "../pay/html.ts";
import { GROUPS, type Guide, renderGuides, SLUGS } from "./guides.ts";
import { type Content, type Group, layout } from "./layout.ts";
import {
  allEndpoints,
  endpointsOf,
  type OpenApi,
  type ReferencePart,
  toParts,
} from "./reference.ts";

const HTML = "text/html; charset=utf-8";
const SCRIPT = "text/javascript; charset=utf-8";
const STYLE = "text/css; charset=utf-8";
const JSON_TYPE = "application/json; charset=utf-8";
const SVG = "image/svg+xml";

const REFERENCE = "/docs/reference";

const ours = (name: string) => join(import.meta.dirname, "browser", name);
const miniSearch = join(createRequire(import.meta.url).resolve("minisearch"), "../../umd/index.js");
const concepts = join(import.meta.dirname, "../../../docs/images/concepts.svg");

/** The files of the pages, by their names under /docs. */
const FILES: Record<string, [type: string, path: string]> = {
  "docs.css": [STYLE, ours("docs.css")],
  "search.js": [SCRIPT, ours("search.js")],
  "page.js": [SCRIPT, ours("page.js")],
  "icon.svg": [SVG, ours("icon.svg")],
  "minisearch.js": [SCRIPT, miniSearch],
  "concepts.svg": [SVG, concepts],
};

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const WITH_POLICY = { "content-security-policy": POLICY };

/** The packages' files change only with the packages; an hour spares a reader most requests. */
const KEPT = { "cache-control": "public, max-age=3600" };

/**
 * The OpenAPI document, and the pages with all of their files.
 * @param document makes the document, when a reader first asks for it
 */
export function docsPages(document: () => object): PageRoute[] {
  let parts: ReferencePart[] | undefined;
  const reference = () => {
    parts ??= toParts(document() as OpenApi, REFERENCE);
    return parts;
  };
  const page = (href: string, content: () => Content) => () =>
    layout(groups(href, reference()), href, content());
  const guide = (i: number) =>
    page(`/docs/${SLUGS[i]}`, () => {
      const { title, html, sections } = renderGuides()[i] as Guide;
      const contents = sections.filter(({ depth }) => depth === 2);
      return { title, main: trusted(html), contents };
    });
  const ofPart = new Map<string, ReturnType<typeof cached>>();
  const servePart: PageRoute["serve"] = ({ part = "" }, _broker, request) => {
    const href = `${REFERENCE}/${part}`;
    const found = reference().find((each) => each.href === href);
    if (found === undefined) return fail("NOT_FOUND");
    const content = () => ({ title: found.title, main: endpointsOf(found) });
    const serve = ofPart.get(href) ?? keeping(HTML, page(href, content), WITH_POLICY);
    ofPart.set(href, serve);
    return serve(request);
  };
  const json = (path: string, content: () => object) =>
    served(path, JSON_TYPE, () => JSON.stringify(content()));

  return [
    json("/openapi.json", document),
    // The first guide is the way in.
    served("/docs", HTML, guide(0), WITH_POLICY),
    ...SLUGS.map((slug, i) => served(`/docs/${slug}`, HTML, guide(i), WITH_POLICY)),
    served(
      REFERENCE,
      HTML,
      page(REFERENCE, () => ({ title: "API reference", main: allEndpoints(reference()) })),
      WITH_POLICY,
    ),
    { path: `${REFERENCE}/:part`, serve: servePart },
    json("/docs/search.json", () => searchable(renderGuides(), reference())),
    ...Object.entries(FILES).map(([name, [type, path]]) =>
      served(`/docs/${name}`, type, () => readFile(path), KEPT),
    ),
  ];
}

/** The list of pages beside a page. The parts of the reference are in it beside one another. */
function groups(current: string, parts: ReferencePart[]): Group[] {
  const titles = new Map(renderGuides().map(({ slug, title }) => [slug, title]));
  const guides = GROUPS.map(({ title, slugs }) => ({
    title,
    entries: slugs.map((slug) => ({ href: `/docs/${slug}`, title: titles.get(slug) as string })),
  }));
  const all = { href: REFERENCE, title: "All endpoints" };
  const entries = current.startsWith(REFERENCE) ? [all, ...parts] : [all];
  return [...guides, { title: "API reference", entries }];
}

function keeping(
  type: string,
  read: () => Promise<Buffer> | string,
  headers: Record<string, string> = {},
) {
  return cached(async () => Buffer.from(await read()), { "content-type": type, ...headers });
}

function served(path: string, ...content: Parameters<typeof keeping>): PageRoute {
  const serve = keeping(...content);
  return { path, serve: (_params, _broker, request) => serve(request) };
}

/** What a search can find: the sections of the guides, and the endpoints of the reference. */
function searchable(guides: Guide[], parts: ReferencePart[]) {
  const sections = guides.flatMap((guide) =>
    guide.sections.map(({ id, title, text }) => {
      return { id: `/docs/${guide.slug}#${id}`, page: guide.title, title, text };
    }),
  );
  const endpoints = parts.flatMap(({ href, title: page, endpoints: list }) =>
    list.map(({ id, method, path, summary }) => {
      return { id: `${href}#${id}`, page, title: `${method} ${path}`, text: summary };
    }),
  );
  return [...sections, ...endpoints];
}
