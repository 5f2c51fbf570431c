// Moments as the API shows them: ISO 8601, UTC.

/** @param at epoch ms */
export function isoTime(at: number): string {
  return new Date(at).toISOString();
}

export function isoOrNull(at: number | undefined): string | null {
  return at === undefined ? null : isoTime(at);
}
