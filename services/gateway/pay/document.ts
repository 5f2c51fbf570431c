// The document of a customer's page: its policy allows, by their hashes, the one script and the two
// styles that are part of it, images from the origins of the merchant's images, requests to this
// server, a frame of the acquirer's card vault if it has one, and nothing else. So a merchant's text
// could not run even if it became markup. The page needs no other request, so no two versions of its
// parts ever meet.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { HttpAnswer } from "../http/answer.ts";
import { html, type Markup, trusted } from "./html.ts";
import type { Locale } from "./locale.ts";
import type { PageParts } from "./page.ts";
import { LANGUAGE_NAMES, LANGUAGES } from "./texts/table.ts";

/** The script's parts, each before those that import it. */
const SCRIPT_PARTS = [
  "../../../../shared/as-written.js",
  "direction.js",
  "page.js",
  "asking.js",
  "memory.js",
  "fields.js",
  "vault.js",
  "problems.js",
  "ends.js",
  "checkout.js",
];
/** Comments and blanks are removed, because a customer's phone does not need them. */
const COMMENT_LINES = /^([ \t]*\/[/*]|[ \t]+\*[ /]).*\n/gm;
const CASTS = /\/\*\* @type .*?\*\/ ?/g;
/** Lines without templates or patterns: there blanks mean nothing beside signs, save in strings. */
const PLAIN_LINES = /^[^'`/\\\n]*$/gm;
const STRINGS_AND_BLANKS = /"[^"]*"|(?<![\w$+-]) +| +(?![\w$+-])/g;
/** Removed, because the joined parts are one module with one scope. */
const MODULE_WORDS = /^(import [^;]+;\n|export )/gm;

const STYLE = partOfPage(readPart("checkout.css").replaceAll(/(?<=^[\w-]+:) | (?={$)|\n/gm, ""));
const SCRIPT = partOfPage(
  SCRIPT_PARTS.map(readPart)
    .join("")
    .replaceAll(MODULE_WORDS, "")
    .replaceAll(CASTS, "")
    .replaceAll(PLAIN_LINES, (line) =>
      line.replaceAll(STRINGS_AND_BLANKS, (each) => each.trim() && each),
    ),
);

/** The answer with a page. */
export function answer(
  status: number,
  page: PageParts,
  headers: Record<string, string> = {},
): HttpAnswer {
  return {
    status,
    body: renderDocument(page),
    headers: {
      ...headers,
      "content-security-policy": contentPolicy(page),
      "cross-origin-opener-policy": "same-origin",
      "content-type": "text/html; charset=utf-8",
      "content-language": page.locale.tag,
    },
  };
}

function contentPolicy(page: PageParts): string {
  const { colours, imageOrigins, frameOrigin, scriptTexts, sendsForm = false } = page;
  return [
    "default-src 'none'",
    `script-src ${scriptTexts === null ? "'none'" : SCRIPT.source}`,
    `style-src ${STYLE.source} ${policySource(colours)}`,
    // The page's icon is a data URL.
    ["img-src data:", ...imageOrigins].join(" "),
    "connect-src 'self'",
    `frame-src ${frameOrigin ?? "'none'"}`,
    "base-uri 'none'",
    `form-action ${sendsForm ? "'self'" : "'none'"}`,
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join("; ");
}

function renderDocument({ title, locale, body, colours, icon, scriptTexts }: PageParts): string {
  return html`<!doctype html>
<html lang="${locale.tag}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="${icon}">
<style>${trusted(STYLE.text)}</style>
<style>${trusted(colours)}</style>
</head>
<body>
${body}
${languageSwitch(locale)}
${scriptTexts === null ? null : scripts(scriptTexts)}
</body>
</html>
`.markup;
}

/** The page in each language, at the same address. The script keeps the address's fragment. */
function languageSwitch(locale: Locale): Markup {
  const links = LANGUAGES.map((each) => {
    const isCurrent = each === locale.language ? html` aria-current="true"` : null;
    return html`<a href="?lang=${each}" lang="${each}" hreflang="${each}"${isCurrent}>${LANGUAGE_NAMES[each]}</a>`;
  });
  return html`<nav class="languages" aria-label="${locale.say("language")}">${links}</nav>`;
}

/** The texts for the script, as data, and the script. */
function scripts(texts: string): Markup {
  return html`<script type="application/json" id="texts">${trusted(texts)}</script>
<script type="module">${trusted(SCRIPT.text)}</script>`;
}

function readPart(name: string): string {
  const file = readFileSync(join(import.meta.dirname, "browser", name), "utf8");
  return file.replaceAll(COMMENT_LINES, "").replaceAll(/^\s+/gm, "");
}

function partOfPage(text: string) {
  return { text, source: policySource(text) };
}

/** The policy's source expression for a text in the page. */
function policySource(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
