// Serves the checkout page. Its policy allows, by their hashes, the one script and the two styles
// that are part of it, images from the origins of the merchant's images, requests to this server, a
// frame of the acquirer's card vault if it has one, and nothing else. So a merchant's text could
// not run even if it became markup. The page needs no other request, so no two versions of its
// parts ever meet. Errors are pages too.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ServiceBroker } from "moleculer";
import { call } from "../../../shared/actions.ts";
import type { Config } from "../../../shared/config.ts";
import { fieldOrigin } from "../../../shared/partners/vault.ts";
import type { Page as HttpPage } from "../http/aliases.ts";
import type { Answer } from "../http/answer.ts";
import { RETRY_AFTER_S, type Refusal } from "../http/refusal.ts";
import type { CardEntry } from "./form.ts";
import { html, trusted } from "./html.ts";
import { checkoutPage, notFoundPage, type Page, unavailablePage } from "./page.ts";
import type { View } from "./view.ts";

/** The sandbox's endpoint for card details that are typed into the page's own inputs. */
const SANDBOX_VAULT: CardEntry = { kind: "inputs", path: "../../v1/sandbox/card-tokens" };
const WITHIN_MS = 5_000;

/** The script's parts, each before those that import it. */
const SCRIPT_PARTS = [
  "page.js",
  "asking.js",
  "fields.js",
  "vault.js",
  "problems.js",
  "ends.js",
  "checkout.js",
];
/** Comments and indents are removed, because a customer's phone does not need them. */
const COMMENT_LINES = /^([ \t]*\/[/*]|[ \t]+\*[ /]).*\n/gm;
/** Removed, because the joined parts are one module with one scope. */
const MODULE_WORDS = /^(import [^;]+;\n|export )/gm;

const STYLE = partOfPage(readPart("checkout.css"));
const SCRIPT = partOfPage(SCRIPT_PARTS.map(readPart).join("").replaceAll(MODULE_WORDS, ""));

type PageConfig = Pick<Config, "sandbox" | "production" | "publicUrl">;

/** The page of `/pay/:slug/:token`. The slug is decoration: the token decides. */
export function payPage(config: PageConfig): HttpPage {
  return {
    path: "/pay/:slug/:token",
    async serve({ token = "" }, broker: ServiceBroker) {
      const options = { timeoutMs: WITHIN_MS };
      const view = await call(broker, "payment-links.checkout", { token }, options);
      return answer(200, checkoutPage(view, token, chooseEntry(view, config)));
    },
    refuse({ status, headers }: Refusal) {
      return status >= 500
        ? answer(503, unavailablePage(), { "retry-after": String(RETRY_AFTER_S), ...headers })
        : answer(404, notFoundPage(), headers);
    },
  };
}

/** Checks the vault's field URL again, because its origin goes into the page's policy. */
function chooseEntry(view: View, config: PageConfig): CardEntry | null {
  // A payment-links node of the previous release says neither, and takes cards.
  const { vault, paymentOptions = ["card"], takesTestCards = true } = view;
  if (paymentOptions.length === 0) return null;
  if (vault === null) return config.sandbox && takesTestCards ? SANDBOX_VAULT : null;
  const origin = fieldOrigin(vault.fieldUrl, config);
  return origin === null ? null : { kind: "frame", fieldUrl: vault.fieldUrl, origin };
}

function answer(status: number, page: Page, headers: Record<string, string> = {}): Answer {
  return {
    status,
    body: renderDocument(page),
    headers: {
      ...headers,
      "content-security-policy": contentPolicy(page),
      "cross-origin-opener-policy": "same-origin",
      "content-type": "text/html; charset=utf-8",
    },
  };
}

function contentPolicy({ colours, imageOrigins, frameOrigin, hasScript }: Page): string {
  return [
    "default-src 'none'",
    `script-src ${hasScript ? SCRIPT.source : "'none'"}`,
    `style-src ${STYLE.source} ${policySource(colours)}`,
    `img-src ${imageOrigins.length > 0 ? imageOrigins.join(" ") : "'none'"}`,
    "connect-src 'self'",
    `frame-src ${frameOrigin ?? "'none'"}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join("; ");
}

function renderDocument({ title, body, colours, hasScript }: Page): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${trusted(STYLE.text)}</style>
<style>${trusted(colours)}</style>
</head>
<body>
${body}
${hasScript ? html`<script type="module">${trusted(SCRIPT.text)}</script>` : null}
</body>
</html>
`.markup;
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
