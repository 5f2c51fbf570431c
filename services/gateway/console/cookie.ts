// The console's cookies. No script can read them, and no other host can set them.

import type { IncomingHttpHeaders } from "node:http";
import { parseCookie, type SetCookie, stringifySetCookie } from "cookie";
import type { Config } from "../../../shared/config/config.ts";

/**
 * Far below the 4,096 bytes that browsers keep (RFC 6265, 6.1), because many proxies take no more
 * than that for all headers of an answer.
 */
const MAX_VALUE = 3_072;

export interface Cookie {
  /** Its value in a request; null without one. */
  read(headers: IncomingHttpHeaders): string | null;
  /**
   * The Set-Cookie header that keeps a value.
   * @returns null for a value that is too long
   */
  keep(value: string, forS: number): string | null;
  /** The Set-Cookie header that removes it. */
  removal: string;
}

/**
 * @param sameSite `strict`: browsers send it only with requests that pages of this site make;
 *   `lax`: also when a link of another site leads here
 */
export function createCookie(
  called: string,
  sameSite: "strict" | "lax",
  { publicUrl }: Pick<Config, "publicUrl">,
): Cookie {
  const secure = new URL(publicUrl).protocol === "https:";
  // Browsers take a cookie with this prefix only from this very host, over TLS.
  const name = secure ? `__Host-${called}` : called;
  const attributes: Omit<SetCookie, "value"> = {
    name,
    path: "/",
    httpOnly: true,
    secure,
    sameSite,
  };
  return {
    read: ({ cookie: given = "" }) => parseCookie(given)[name] || null,
    keep(value, forS) {
      if (value.length > MAX_VALUE) return null;
      return stringifySetCookie({ ...attributes, value, maxAge: Math.floor(forS) });
    },
    removal: stringifySetCookie({ ...attributes, value: "", maxAge: 0 }),
  };
}
