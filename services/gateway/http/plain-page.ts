// Pages without a script and without other files: the greeting, and errors that people see in a
// browser. They have one style sheet and one policy.

import { createHash } from "node:crypto";
import { html, type Markup, trusted } from "../pay/html.ts";
import type { HttpAnswer } from "./answer.ts";
import { prefersHtml } from "./negotiation.ts";
import type { Refuse } from "./refusal.ts";

const STYLE =
  "html{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:40rem;margin:4rem auto;padding:0 1rem}";

const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Of an answer that is a page for browsers, and JSON for programs. */
export const VARIES = { vary: "Accept" };

export function plainPage(status: number, title: string, content: Markup): HttpAnswer {
  const page = html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <style>${trusted(STYLE)}</style>
  </head>
  <body>
    <h1>${title}</h1>
    ${content}
  </body>
</html>
`;
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": POLICY,
  };
  return { status, body: page.markup, headers };
}

/** The page of an error. */
const refuseAsPage: Refuse = ({ status, message, headers }, requestId) => {
  const content = html`<p>Status ${status}. Request ${requestId}.</p>
    <ul>
      <li><a href="/console">Console</a></li>
      <li><a href="/docs">Documentation</a></li>
    </ul>`;
  const page = plainPage(status, message, content);
  return { ...page, headers: { ...headers, ...page.headers } };
};

/**
 * Refuses a person by a page, and a program by JSON, as the client's `Accept` prefers.
 * @param refuse makes the answer in JSON
 * @param asPage makes the page
 */
export function refuseByAccept(refuse: Refuse, asPage: Refuse = refuseAsPage): Refuse {
  return (refusal, requestId, request) => {
    const chosen = prefersHtml(request) ? asPage : refuse;
    const answer = chosen(refusal, requestId, request);
    return { ...answer, headers: { ...answer.headers, ...VARIES } };
  };
}
