// The look of a customer's pages, and how the customer reaches the business.

import type { Result } from "../../../shared/contracts/contracts.ts";
import type { LinkTerms } from "./link.model.ts";

export function showBranding(
  config: LinkTerms["brandingConfig"] = {},
): Result<"payment-links.checkout">["branding"] {
  const { logo = null, primaryColor = null, backgroundColor = null } = config;
  const { supportEmail = null, termsUrl = null } = config;
  return { logo, primaryColor, backgroundColor, supportEmail, termsUrl };
}
