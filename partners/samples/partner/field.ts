// The page of the hosted field and its content security policy: the page loads only its own parts,
// by their hashes, sends requests only to the vault, and only the configured page may embed it.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const STYLE = readText("field.css");
const SCRIPT = readText("field.js");

/** @param page the origin of the page that shows the field */
export function fieldPage(page: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Card details</title>
<style>${STYLE}</style>
</head>
<body>
<main data-page="${page}">
<form novalidate>
<div>
<label for="number">Card number</label>
<input id="number" type="text" autocomplete="cc-number" inputmode="numeric" maxlength="23" placeholder="1234 1234 1234 1234" aria-describedby="number-error">
<p id="number-error" class="error"></p>
</div>
<div>
<label for="expiry">Expiry date</label>
<input id="expiry" type="text" autocomplete="cc-exp" inputmode="numeric" maxlength="9" placeholder="MM / YY" aria-describedby="expiry-error">
<p id="expiry-error" class="error"></p>
</div>
<div>
<label for="code">Security code</label>
<input id="code" type="text" autocomplete="cc-csc" inputmode="numeric" maxlength="4" placeholder="CVC" aria-describedby="code-error">
<p id="code-error" class="error"></p>
</div>
<button hidden></button>
</form>
<section hidden>
<p>The card's issuer asks you to confirm this payment.</p>
<button id="allow" type="button">Confirm</button>
<button id="refuse" type="button">Refuse</button>
</section>
</main>
<script type="module">${SCRIPT}</script>
</body>
</html>
`;
}

/** @param page the origin of the page that shows the field */
export function fieldHeaders(page: string): Record<string, string> {
  return {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "content-security-policy": [
      "default-src 'none'",
      `script-src ${hashSource(SCRIPT)}`,
      `style-src ${hashSource(STYLE)}`,
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      `frame-ancestors ${page}`,
    ].join("; "),
  };
}

function readText(name: string): string {
  return readFileSync(join(import.meta.dirname, "field", name), "utf8");
}

function hashSource(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
