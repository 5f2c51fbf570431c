// The OpenAPI document, and a page to read it and to try it: Swagger UI from its package, under a
// policy that lets it connect to this server only.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import swaggerUiPath from "swagger-ui-dist/absolute-path.js";
import type { Page } from "./aliases.ts";
import type { Answer } from "./answer.ts";

/** The only files of the package that are served. */
const ASSETS = {
  "swagger-ui.css": "text/css; charset=utf-8",
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
  "favicon-32x32.png": "image/png",
};

const HTML = "text/html; charset=utf-8";

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>payrail API</title>
    <link rel="icon" href="/docs/favicon-32x32.png">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

/** The policy forbids inline scripts. */
const START = `SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  docExpansion: "list",
  tryItOutEnabled: true,
  validatorUrl: null,
});
`;

/** /openapi.json and /docs. */
export function docsPages(document: object): Page[] {
  const assets = Object.entries(ASSETS).map(([name, type]): Page => {
    const path = join(swaggerUiPath(), name);
    return { path: `/docs/${name}`, serve: async () => answer(type, await readFile(path)) };
  });
  const json = JSON.stringify(document);
  const html = answer(HTML, PAGE, { "content-security-policy": POLICY });
  return [
    { path: "/openapi.json", serve: () => answer("application/json; charset=utf-8", json) },
    { path: "/docs", serve: () => html },
    { path: "/docs/start.js", serve: () => answer("text/javascript; charset=utf-8", START) },
    ...assets,
  ];
}

function answer(type: string, body: string | Buffer, headers: Record<string, string> = {}): Answer {
  return { status: 200, body, headers: { "content-type": type, ...headers } };
}
