// Serves the checkout page. Its policy allows, by their hashes, the one script and the two styles
// that are part of it, images from the origins of the merchant's images, requests to this server, a
// frame of the acquirer's card vault if it has one, and nothing else. So a merchant's text could
// not run even if it became markup. The page needs no other request, so no two versions of its
// parts ever meet. Errors are pages too.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import type { ServiceBroker } from "moleculer";
import type { Config } from "../../../shared/config/config.ts";
import { fieldOrigin } from "../../../shared/partners/vault.ts";
import { call } from "../../../shared/rpc/actions.ts";
import type { PageRoute as HttpPage } from "../http/aliases.ts";
import type { HttpAnswer } from "../http/answer.ts";
import { type HttpRefusal, RETRY_AFTER_S } from "../http/refusal.ts";
import type { CardEntry } from "./form.ts";
import { html, type Markup, trusted } from "./html.ts";
import { chooseLocale, type Locale } from "./locale.ts";
import { checkoutPage, notFoundPage, type PageParts, unavailablePage } from "./page.ts";
import type { View } from "./view.ts";

/** The sandbox's endpoint for card details that are typed into the page's own inputs. */
const SANDBOX_VAULT: CardEntry = { kind: "inputs", path: "../../v1/sandbox/card-tokens" };
const WITHIN_MS = 5_000;

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

type PageConfig = Pick<Config, "sandbox" | "production" | "publicUrl">;

/** The page of `/pay/:slug/:token`. The slug is decoration: the token decides. */
export function payPage(config: PageConfig): HttpPage {
  return {
    path: "/pay/:slug/:token",
    async serve({ token = "" }, broker: ServiceBroker, request: IncomingMessage) {
      const options = { timeoutMs: WITHIN_MS };
      const view = await call(broker, "payment-links.checkout", { token }, options);
      const entry = chooseEntry(view, config);
      return answer(200, checkoutPage(view, token, entry, localeOf(request)));
    },
    refuse({ status, headers }: HttpRefusal, _requestId: string, request: IncomingMessage) {
      const locale = localeOf(request);
      return status >= 500
        ? answer(503, unavailablePage(locale), { "retry-after": String(RETRY_AFTER_S), ...headers })
        : answer(404, notFoundPage(locale), headers);
    },
  };
}

function localeOf({ headers }: IncomingMessage): Locale {
  return chooseLocale(headers["accept-language"]);
}

/** Checks the vault's field URL again, because its origin goes into the page's policy. */
function chooseEntry(view: View, config: PageConfig): CardEntry | null {
  // A payment-links node of the previous release says neither, and takes cards.
  const { vault, paymentOptions = ["card"], takesTestCards = true } = view;
  if (paymentOptions.length === 0) return null;
  if (vault === null) return config.sandbox && takesTestCards ? SANDBOX_VAULT : null;
  const { fieldUrl, wantsPostcode = false } = vault;
  const origin = fieldOrigin(fieldUrl, config);
  return origin === null ? null : { kind: "frame", fieldUrl, origin, wantsPostcode };
}

function answer(status: number, page: PageParts, headers: Record<string, string> = {}): HttpAnswer {
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

function contentPolicy({ colours, imageOrigins, frameOrigin, scriptTexts }: PageParts): string {
  return [
    "default-src 'none'",
    `script-src ${scriptTexts === null ? "'none'" : SCRIPT.source}`,
    `style-src ${STYLE.source} ${policySource(colours)}`,
    // The page's icon is a data URL.
    ["img-src data:", ...imageOrigins].join(" "),
    "connect-src 'self'",
    `frame-src ${frameOrigin ?? "'none'"}`,
    "base-uri 'none'",
    "form-action 'none'",
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
${scriptTexts === null ? null : scripts(scriptTexts)}
</body>
</html>
`.markup;
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
