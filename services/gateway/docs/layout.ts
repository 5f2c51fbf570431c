// The frame of every page under /docs: the search, the list of pages, and the page itself.

import { html, type Markup } from "../pay/html.ts";

interface Entry {
  href: string;
  title: string;
}

export interface Content {
  title: string;
  main: Markup;
  /** Files of the page beside those of every page. */
  styles?: string[];
  scripts?: string[];
}

/**
 * A page as text.
 * @param current the address of the page
 */
export function layout(entries: Entry[], current: string, content: Content): string {
  const { title, main, styles = [], scripts = [] } = content;
  const links = entries.map(({ href, title: name }) => {
    const mark = href === current ? html` aria-current="page"` : null;
    return html`<li><a href="${href}"${mark}>${name}</a></li>`;
  });
  const page = html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title} · payrail</title>
    <link rel="icon" href="/docs/icon.svg">
    ${[...styles, "docs.css"].map((file) => html`<link rel="stylesheet" href="/docs/${file}">`)}
    ${["minisearch.js", "search.js", ...scripts].map((file) => html`<script defer src="/docs/${file}"></script>`)}
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
    <nav aria-label="Documentation">
      <details open><summary>Pages</summary><ul>${links}</ul></details>
    </nav>
    <main id="main" tabindex="-1">${main}</main>
  </body>
</html>
`;
  return page.markup;
}
