// The rule for a vault's field URL. The gateway lets a browser load exactly this origin in a frame,
// so both the process that loads the acquirer and the gateway check it by the same function.

import type { Config } from "../config/config.ts";

/**
 * An origin as a content security policy names it: no character that could end a directive or start
 * another.
 */
const PLAIN_ORIGIN = /^https?:\/\/([a-z0-9.-]{1,253}|\[[0-9a-f:]{2,45}\])(:\d{1,5})?$/;
const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];
const URL_AT_MOST = 2_048;

/** The form that a field URL must have, for the message of an error. */
export const FIELD_URL_FORM =
  "an https URL of an origin other than PUBLIC_URL's, without credentials or a fragment";

/**
 * The origin of a vault's field, for the page's `frame-src`.
 * @returns null for a URL that a page must not load. Plain http is allowed for a loopback address
 *   outside production. Payrail's own origin is refused, because a frame of the page's own origin
 *   could leave its sandbox and read the page.
 */
export function fieldOrigin(
  fieldUrl: unknown,
  { production, publicUrl }: Pick<Config, "production" | "publicUrl">,
): string | null {
  if (typeof fieldUrl !== "string" || fieldUrl.length > URL_AT_MOST) return null;
  if (!URL.canParse(fieldUrl)) return null;
  const { protocol, hostname, origin, username, password, hash } = new URL(fieldUrl);
  const isLocal = !production && protocol === "http:" && LOOPBACK.includes(hostname);
  const isSafe = protocol === "https:" || isLocal;
  const isBare = username === "" && password === "" && hash === "";
  const isForeign = origin !== new URL(publicUrl).origin;
  return isSafe && isBare && isForeign && PLAIN_ORIGIN.test(origin) ? origin : null;
}
