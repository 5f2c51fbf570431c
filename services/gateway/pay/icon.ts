// The icon of a checkout page in the browser's tab: the merchant's initial on the merchant's
// colour. It is part of the page as a data URL, so that the page needs no other request.

import { accentColours, type Branding } from "../../../shared/colours.ts";
import { html } from "./html.ts";

/** @returns a data URL */
export function pageIcon(businessName: string, branding: Branding): string {
  const { accent, onAccent } = accentColours(branding);
  const [initial = ""] = businessName.trim().toUpperCase();
  const { markup } =
    html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="${accent}"/><text x="16" y="23" text-anchor="middle" font-family="system-ui,sans-serif" font-size="20" font-weight="700" fill="${onAccent}">${initial}</text></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(markup)}`;
}
