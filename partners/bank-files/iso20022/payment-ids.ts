// The ids of payments and of batches in files, and how they are found in what banks write. A
// payment's is the payout's UUID without its hyphens, 32 of the 35 characters of InstrId and
// EndToEndId. Banks pass EndToEndId on unchanged, to the recipient and back. Other senders' ids may
// have these forms: the books say which are ours.

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

const PAYMENT_IN_TEXT =
  /(?<![0-9a-f])[0-9a-f]{8}(-?)[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{12}(?![0-9a-f])/gi;
/** The sender's part, the day, and the number, as closing.ts makes the ids of batches. */
const BATCH_IN_TEXT = /(?<![A-Z0-9])[A-Z0-9]{1,6}-\d{6,8}-\d{6,}(?!\d)/gi;

/** The payout's ids in a text. */
export function payoutIdsIn(text: string): string[] {
  const found = text.match(PAYMENT_IN_TEXT) ?? [];
  return found.flatMap((each) => payoutId(each.replaceAll("-", "")) ?? []);
}

/** The ids of batches in a text. */
export function batchIdsIn(text: string): string[] {
  return (text.match(BATCH_IN_TEXT) ?? []).map((each) => each.toUpperCase());
}
