// The libraries that the pages load before their own scripts.

interface Window {
  MiniSearch: typeof import("minisearch").default;
  SwaggerUIBundle(options: Record<string, unknown>): void;
}
