// The answer at `/`: a page with links for browsers, and the same links as JSON for programs.

import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import packageJson from "../../../package.json" with { type: "json" };
import type { Page } from "./aliases.ts";
import type { Answer } from "./answer.ts";
import { weightOf } from "./negotiation.ts";

const LINKS = {
  console: "/console",
  docs: "/docs",
  openapi: "/openapi.json",
  ready: "/health/ready",
};

const STYLE =
  "body{font:1rem/1.5 system-ui,sans-serif;max-width:40rem;margin:4rem auto;padding:0 1rem;color-scheme:light dark}";

const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const HTML = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>payrail</title>
    <style>${STYLE}</style>
  </head>
  <body>
    <h1>payrail</h1>
    <p>An API that pays out money from wallets and collects it by payment links.</p>
    <ul>
      <li><a href="${LINKS.console}">Console</a></li>
      <li><a href="${LINKS.docs}">Documentation</a></li>
      <li><a href="${LINKS.openapi}">OpenAPI document</a></li>
      <li><a href="${LINKS.ready}">Readiness</a></li>
    </ul>
  </body>
</html>
`;

const VARY = { vary: "Accept" };

const FOR_BROWSERS: Answer = {
  status: 200,
  body: HTML,
  headers: {
    ...VARY,
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": POLICY,
  },
};

const FOR_PROGRAMS: Answer = {
  status: 200,
  body: { name: packageJson.name, version: packageJson.version, links: LINKS },
  headers: VARY,
};

export const greetingPage: Page = {
  path: "/",
  serve: (_params, _broker, request) => (prefersHtml(request) ? FOR_BROWSERS : FOR_PROGRAMS),
};

function prefersHtml({ headers: { accept } }: IncomingMessage): boolean {
  const json = weightOf(accept, "application/json", "application/*", "*/*");
  return weightOf(accept, "text/html", "text/*", "*/*") > json;
}
