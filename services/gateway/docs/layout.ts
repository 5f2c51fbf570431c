// The frame of every page under /docs: the search, the list of pages, the page itself with its
// contents, and the way to the next one.

import { html, type Markup } from "../pay/html.ts";

export interface PageLink {
  href: string;
  title: string;
}

/** A heading of the list of pages, with its pages. */
export interface Group {
  title: string;
  entries: PageLink[];
}

export interface Content {
  title: string;
  main: Markup;
  /** The headings that the page shows as its contents. */
  contents?: { id: string; title: string }[];
}

const SCRIPTS = ["minisearch.js", "search.js", "page.js"];

/**
 * A page as text.
 * @param current the address of the page
 */
export function layout(groups: Group[], current: string, content: Content): string {
  const { title, main, contents = [] } = content;
  const link = ({ href, title: name }: PageLink) => {
    const mark = href === current ? html` aria-current="page"` : null;
    return html`<li><a href="${href}"${mark}>${name}</a></li>`;
  };
  const lists = groups.map(
    (group) => html`<h2>${group.title}</h2><ul>${group.entries.map(link)}</ul>`,
  );
  const page = html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title} · payrail</title>
    <link rel="icon" href="/docs/icon.svg">
    <link rel="stylesheet" href="/docs/docs.css">
    ${SCRIPTS.map((file) => html`<script defer src="/docs/${file}"></script>`)}
  </head>
  <body>
    <a class="skip" href="#main">Skip to the page</a>
    <header>
      <a class="home" href="/docs">payrail</a>
      <search>
        <input id="search" type="search" placeholder="Search the documentation" aria-label="Search the documentation" autocomplete="off">
        <ol id="found" hidden></ol>
        <p id="count" role="status"></p>
      </search>
    </header>
    <nav class="pages" aria-label="Documentation">
      <details open><summary>Pages</summary>${lists}</details>
    </nav>
    <main id="main" tabindex="-1">${contentsOf(contents)}${main}${neighbours(groups, current)}</main>
  </body>
</html>
`;
  return page.markup;
}

function contentsOf(headings: { id: string; title: string }[]): Markup | null {
  if (headings.length < 2) return null;
  const items = headings.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`);
  return html`<nav class="contents" aria-label="On this page">
      <details open><summary>On this page</summary><ul>${items}</ul></details>
    </nav>
    `;
}

/** The links to the page before and after the current one. */
function neighbours(groups: Group[], current: string): Markup {
  const entries = groups.flatMap((group) => group.entries);
  const at = entries.findIndex(({ href }) => href === current);
  const [before, after] = [entries[at - 1], entries[at + 1]];
  return html`<nav class="neighbours" aria-label="Previous and next page">
      ${before ? html`<a rel="prev" href="${before.href}">Previous: ${before.title}</a>` : null}
      ${after ? html`<a rel="next" href="${after.href}">Next: ${after.title}</a>` : null}
    </nav>`;
}
