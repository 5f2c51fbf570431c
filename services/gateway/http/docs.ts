// The OpenAPI document, and a page to read it and to try it from: Swagger UI as its package carries it,
// under a policy that lets it reach this server and nothing else.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import swaggerUiPath from "swagger-ui-dist/absolute-path.js";

/** All that is served of the package. */
const ASSETS = {
  "swagger-ui.css": "text/css; charset=utf-8",
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
  "favicon-32x32.png": "image/png",
};

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

/** Serves /openapi.json and /docs. */
export async function serveDocs(app: FastifyInstance, document: object): Promise<void> {
  const json = JSON.stringify(document);
  app.get("/openapi.json", async (_request, reply) => reply.type("application/json").send(json));

  app.get("/docs", async (_request, reply) =>
    reply.header("content-security-policy", POLICY).type("text/html; charset=utf-8").send(PAGE),
  );
  app.get("/docs/start.js", async (_request, reply) =>
    reply.type("text/javascript; charset=utf-8").send(START),
  );
  for (const [name, type] of Object.entries(ASSETS)) {
    const path = join(swaggerUiPath(), name);
    app.get(`/docs/${name}`, async (_request, reply) =>
      reply.type(type).send(await readFile(path)),
    );
  }
}
