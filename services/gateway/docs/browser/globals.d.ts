// The library that the pages load before their own scripts.

interface Window {
  MiniSearch: typeof import("minisearch").default;
}
