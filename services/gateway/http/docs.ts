// The OpenAPI document, and a page to read it and to try it: Swagger UI from its package, under a
// policy that lets it connect to this server only.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import swaggerUiPath from "swagger-ui-dist/absolute-path.js";
import type { Page } from "./aliases.ts";
import { cached } from "./cached.ts";

/** The only files of the package that are served. */
const ASSETS = {
  "swagger-ui.css": "text/css; charset=utf-8",
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
  "favicon-32x32.png": "image/png",
};

/** The package's files change only with the package; an hour spares a reader most requests. */
const KEPT = "public, max-age=3600";

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
    return page(`/docs/${name}`, type, () => readFile(path), { "cache-control": KEPT });
  });
  const json = "application/json; charset=utf-8";
  const script = "text/javascript; charset=utf-8";
  return [
    page("/openapi.json", json, async () => Buffer.from(JSON.stringify(document))),
    page("/docs", HTML, async () => Buffer.from(PAGE), { "content-security-policy": POLICY }),
    page("/docs/start.js", script, async () => Buffer.from(START)),
    ...assets,
  ];
}

function page(
  path: string,
  type: string,
  read: () => Promise<Buffer>,
  headers: Record<string, string> = {},
): Page {
  const serve = cached(read, { "content-type": type, ...headers });
  return { path, serve: (_params, _broker, request) => serve(request) };
}
