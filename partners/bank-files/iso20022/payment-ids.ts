// The ids of payments in files: the payout's UUID without its hyphens, 32 of the 35 characters of
// InstrId and EndToEndId. Banks pass EndToEndId on unchanged, to the recipient and back.

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const SHORT = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/;

export function isPayoutId(id: string): boolean {
  return UUID.test(id);
}

export function shortId(id: string): string {
  return id.replaceAll("-", "").toLowerCase();
}

/**
 * The payout's id for an id in a file, whose letters some banks turn into capitals; null for an id
 * that is none of ours.
 */
export function payoutId(short: string): string | null {
  const parts = SHORT.exec(short.toLowerCase());
  const id = parts?.slice(1).join("-") ?? "";
  return isPayoutId(id) ? id : null;
}
