// The merchant's own images: the only content that the page loads from elsewhere. Their origins go
// into the page's policy, so they are few and public, and their form cannot add anything else to
// the policy.

import { isImageHost } from "../../../shared/security/public-hosts.ts";
import type { View } from "./view.ts";

/** More would make the policy's header too long for some proxies. */
const MAX_ORIGINS = 8;
const PLAIN_ORIGIN = /^https:\/\/[a-z0-9.-]{1,253}(:\d{1,5})?$/;

/**
 * The origins from which the page of this link shows images; images of other origins are left out.
 * @param showsItems whether the page lists the link's items
 */
export function findImageOrigins(
  { branding, items }: Pick<View, "branding" | "items">,
  showsItems: boolean,
): string[] {
  const urls = [branding.logo, ...(showsItems ? items : []).map(({ imageUrl }) => imageUrl)];
  const origins = urls.map((url) => imageOrigin(url ?? "")).filter((each) => each !== null);
  return [...new Set(origins)].slice(0, MAX_ORIGINS);
}

/** The image's address if it may be shown. */
export function shownImage(url: string | null | undefined, origins: string[]): string | null {
  const origin = imageOrigin(url ?? "");
  return url && origin !== null && origins.includes(origin) ? url : null;
}

function imageOrigin(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { origin, hostname } = new URL(url);
  return PLAIN_ORIGIN.test(origin) && isImageHost(hostname) ? origin : null;
}
