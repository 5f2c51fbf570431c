// Moments as the API shows them: ISO 8601, UTC.

/** The last moment that has a year of four digits, as RFC 3339 wants it; epoch ms. */
export const LATEST_MS = Date.parse("9999-12-31T23:59:59.999Z");

/** @param at epoch ms */
export function isoTime(at: number): string {
  return new Date(at).toISOString();
}

export function isoOrNull(at: number | undefined): string | null {
  return at === undefined ? null : isoTime(at);
}
