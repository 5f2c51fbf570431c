// The hosted field in a process of its own: node partners/stripe/serve-field.ts. It serves
// STRIPE_FIELD_URL, on STRIPE_FIELD_PORT, for the checkout page of STRIPE_FIELD_PAGE, the origin of
// payrail's PUBLIC_URL. TLS and further limits are the proxy's in front.

import { createServer, type IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { LRUCache } from "lru-cache";
import { createClient } from "./client.ts";
import { serveField } from "./field.ts";
import { readSettings } from "./settings.ts";

/** How many SetupIntents an address may ask for in a minute: a customer saves one card. */
const SETUPS_AT_MOST = 10;
const MINUTE_MS = 60_000;
const ADDRESSES_AT_MOST = 100_000;

const { STRIPE_FIELD_PORT = "8080", STRIPE_FIELD_PAGE = "" } = process.env;
if (!URL.canParse(STRIPE_FIELD_PAGE)) {
  throw new Error("STRIPE_FIELD_PAGE must be the origin of the checkout page, PUBLIC_URL");
}
const settings = readSettings(process.env);
const { pathname } = new URL(settings.fieldUrl);
const serve = serveField({
  ...settings,
  stripe: createClient(settings),
  page: new URL(STRIPE_FIELD_PAGE).origin,
});
const setups = new LRUCache<string, number>({ max: ADDRESSES_AT_MOST, ttl: MINUTE_MS });

const server = createServer((request, response) => {
  const isOurs = request.url?.split("?")[0] === pathname;
  if (!isOurs) return void response.writeHead(404).end();
  if (request.method === "POST" && isTooOften(addressOf(request))) {
    return void response.writeHead(429, { "retry-after": "60" }).end();
  }
  serve(request, response).catch(() => response.destroy());
});
server.listen(Number(STRIPE_FIELD_PORT), () => {
  process.stdout.write(`Serving the field at port ${STRIPE_FIELD_PORT}\n`);
});
process.once("SIGTERM", () => server.close());

/**
 * The last address that the proxy in front has added, without the port, brackets and quotes that
 * some write; without a proxy the connection's own.
 */
function addressOf({ headers, socket }: IncomingMessage): string {
  const last =
    String(headers["x-forwarded-for"] ?? "")
      .split(",")
      .at(-1) ?? "";
  const text = last.replaceAll(/[\s"]/g, "");
  const without = text.replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1");
  return [text, without].find(isIP) ?? socket.remoteAddress ?? "";
}

function isTooOften(address: string): boolean {
  const count = (setups.get(address) ?? 0) + 1;
  setups.set(address, count, { noUpdateTTL: true });
  return count > SETUPS_AT_MOST;
}
