// The answer at `/`: a page with links for browsers, and the same links as JSON for programs.

import packageJson from "../../../package.json" with { type: "json" };
import { html } from "../pay/html.ts";
import type { PageRoute } from "./aliases.ts";
import type { HttpAnswer } from "./answer.ts";
import { prefersHtml } from "./negotiation.ts";
import { plainPage, VARIES } from "./plain-page.ts";

const LINKS = {
  console: "/console",
  docs: "/docs",
  openapi: "/openapi.json",
  ready: "/health/ready",
};

const PAGE = plainPage(
  200,
  "payrail",
  html`<p>An API that pays out money from wallets and collects it by payment links.</p>
    <ul>
      <li><a href="${LINKS.console}">Console</a></li>
      <li><a href="${LINKS.docs}">Documentation</a></li>
      <li><a href="${LINKS.openapi}">OpenAPI document</a></li>
      <li><a href="${LINKS.ready}">Readiness</a></li>
    </ul>`,
);

const FOR_BROWSERS: HttpAnswer = { ...PAGE, headers: { ...PAGE.headers, ...VARIES } };

const FOR_PROGRAMS: HttpAnswer = {
  status: 200,
  body: { name: packageJson.name, version: packageJson.version, links: LINKS },
  headers: VARIES,
};

export const greetingPage: PageRoute = {
  path: "/",
  serve: (_params, _broker, request) => (prefersHtml(request) ? FOR_BROWSERS : FOR_PROGRAMS),
};
