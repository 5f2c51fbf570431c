// The sums in the control records of ACH files: how many entries and addenda there are, the hash of
// the banks, and the debits and credits (Nacha Operating Rules, Appendix Three, 3.2.2). Writing and
// reading share them, so a file that does not add up is never written and never read.

export interface ControlTotals {
  /** Entries and addenda. */
  count: number;
  /** The sum of the entries' eight-digit routing numbers, of which the last ten digits count. */
  hash: number;
  debitMinor: number;
  creditMinor: number;
}

const HASH_LIMIT = 10 ** 10;

/** The sums of one entry with its addenda. A returned credit counts as a credit. */
export function sumsOfEntry(entry: {
  transactionCode: string;
  receivingDfi: string;
  amountMinor: number;
  addendaCount: number;
}): ControlTotals {
  const { amountMinor } = entry;
  // The second digit of the code is 0 to 4 for credits, 5 to 9 for debits.
  const isCredit = Number(entry.transactionCode[1]) < 5;
  return {
    count: 1 + entry.addendaCount,
    hash: Number(entry.receivingDfi),
    debitMinor: isCredit ? 0 : amountMinor,
    creditMinor: isCredit ? amountMinor : 0,
  };
}

export function addSums(all: ControlTotals[]): ControlTotals {
  const sum = { count: 0, hash: 0, debitMinor: 0, creditMinor: 0 };
  for (const one of all) {
    sum.count += one.count;
    sum.hash = (sum.hash + one.hash) % HASH_LIMIT;
    sum.debitMinor += one.debitMinor;
    sum.creditMinor += one.creditMinor;
  }
  return sum;
}
