// Findings: what a verification looked at, and what it found wrong. The table of invariants is here:
// a violation is one of these, and the report and its reader name them all.

/** What has to hold, by rule; and of what it has to hold. */
export const INVARIANTS = {
  indexes: [
    "The unique, partial and expiring indexes are there, with their filters and terms",
    "indexes",
  ],
  numbers: ["Numbers are contiguous: no block of a partition is missing", "blocks"],
  hashes: ["Every block is what its hash says", "blocks"],
  links: ["Hashes link: every block names the one before it", "blocks"],
  ids: ["Ids are unique", "transfers"],
  sums: ["The legs of every transfer, and all accounts, sum to zero per currency", "transfers"],
  funds: ["No wallet goes below zero", "transfers"],
  declines: ["What was declined moves nothing", "transfers"],
  balances: ["The balance that a transfer names is the fold's", "transfers"],
  statements: ["A transfer names the block that touched its wallet before it", "transfers"],
  accounts: ["Accounts that the journal names are there, in their wallet's partition", "accounts"],
  checkpoints: ["The fold of the blocks equals checkpoint + tail", "accounts"],
  watermarks: [
    "Watermarks name a block that is there, and no checkpoint lags behind",
    "partitions",
  ],
  transit: [
    "Transit over all partitions equals the transfers on their way; all others are there or back",
    "moves",
  ],
  postings: ["A transfer has the document it is for, and moves what that says", "transfers"],
  fundings: ["Every funding that succeeded has its transfer", "fundings"],
  payouts: ["A payout has exactly one debit, FAILED exactly one reversal, SUCCESS none", "payouts"],
  payments: ["A payment has one collection exactly where it succeeded", "payments"],
  holds: [
    "A payment is in its link's numbers; a link paid once is held by one payment",
    "payments",
  ],
  refunds: [
    "A refund has exactly one debit, FAILED exactly one reversal, SUCCEEDED none",
    "refunds",
  ],
  refunded: ["What is refunded of a payment is the sum of its refunds, and no more", "payments"],
  billing: [
    "A subscription is in its link's terms, is driven, and bills its periods one by one",
    "subscriptions",
  ],
  invoices: [
    "An invoice is of its period, the sum of its lines in its plan's terms, and numbered once",
    "invoices",
  ],
  renewals: [
    "A renewal charges what its invoice says, and pays it; no invoice is paid twice",
    "payments",
  ],
  usage: [
    "What a period is closed with is the sum of its reports, and is what its invoice bills",
    "usage",
  ],
  credit: ["What an invoice carries to the next one, that begins with", "subscriptions"],
  states: ["A state is the last one that its document entered, and fits its step", "payouts"],
  events: ["Every visible change has its event, and no event says anything else", "events"],
  deliveries: [
    "An event has a delivery to each of its endpoints, in a state that fits its attempts",
    "deliveries",
  ],
  tokens: [
    "An application token is spent by the payout that it allowed, and stays spent",
    "tokens",
  ],
  owners: ["What a document says of its owners, they say of themselves", "owned"],
  driven: ["What has not ended is looked at again in time", "driven"],
} as const;

export type Rule = keyof typeof INVARIANTS;

/** The result of a verification. */
export interface VerifyReport {
  ok: boolean;
  /** Counts of the checked things, by kind. */
  checked: Record<string, number>;
  /** Counts of violations, by violated rule. */
  violated: Record<string, number>;
  /** The first violations of each rule. */
  violations: { rule: string; detail: string }[];
  violationCount: number;
}

const LISTED_AT_MOST = 20;
const DETAIL_AT_MOST = 500;

/** Collects what was looked at and what is wrong; of each rule the first violations are listed. */
export function createReport() {
  const report: VerifyReport = {
    ok: true,
    checked: {},
    violated: {},
    violations: [],
    violationCount: 0,
  };
  return {
    report,
    count(what: string, by = 1) {
      report.checked[what] = (report.checked[what] ?? 0) + by;
    },
    violation(rule: Rule, detail: string) {
      const before = report.violated[rule] ?? 0;
      report.ok = false;
      report.violationCount += 1;
      report.violated[rule] = before + 1;
      if (before < LISTED_AT_MOST) report.violations.push({ rule, detail: printable(detail) });
    },
  };
}

export type Findings = ReturnType<typeof createReport>;

/** What was tampered with may hold anything: a report is read on terminals, and travels. */
function printable(detail: string): string {
  return detail.replaceAll(/\p{C}/gu, "?").slice(0, DETAIL_AT_MOST);
}
