// The console's page, and the script and the style sheet that it loads. They are the same for
// everybody and have no secret; what they show comes from the API.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ConfigOf } from "../../../shared/config/config.ts";
import { fail } from "../../../shared/errors.ts";
import type { PageRoute } from "../http/aliases.ts";
import { cached } from "../http/cached.ts";

const BUILT = join(import.meta.dirname, "..", "..", "..", "clients", "console", "dist");

/** Images may come from elsewhere, because a merchant sees those of its new payment link. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: https:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

interface File {
  path: string;
  name: string;
  type: string;
  headers?: Record<string, string>;
}

const FILES: File[] = [
  {
    path: "/console",
    name: "index.html",
    type: "text/html",
    headers: {
      "content-security-policy": POLICY,
      "cross-origin-opener-policy": "same-origin",
    },
  },
  { path: "/console/console.js", name: "console.js", type: "text/javascript" },
  { path: "/console/console.css", name: "console.css", type: "text/css" },
];

/** The files of the build (tools/platform/console.ts). In development each request reads anew. */
export function consolePages({ production }: Pick<ConfigOf<"gateway">, "production">): PageRoute[] {
  return FILES.map(({ path, name, type, headers = {} }) => {
    const read = () =>
      readFile(join(BUILT, name)).catch(() =>
        fail("NOT_FOUND", "The console is not built; npm run console builds it"),
      );
    const serve = () => cached(read, { "content-type": `${type}; charset=utf-8`, ...headers });
    const kept = serve();
    return { path, serve: (_params, _broker, request) => (production ? kept : serve())(request) };
  });
}
