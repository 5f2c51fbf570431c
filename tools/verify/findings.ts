// Findings: the counts of checked things, and the violations. The table of invariants names every
// rule; the report and its reader use the same names.

/** The invariant of each rule, and the things that are counted for it. */
export const INVARIANTS = {
  indexes: [
    "The unique, partial and expiring indexes exist, with their filters and terms",
    "indexes",
  ],
  numbers: ["Numbers are contiguous: no block of a partition is missing", "blocks"],
  hashes: ["Every block matches its hash", "blocks"],
  links: ["Hashes link: every block names the one before it", "blocks"],
  ids: ["Ids are unique", "transfers"],
  sums: ["The legs of every transfer, and all accounts, sum to zero per currency", "transfers"],
  funds: ["No wallet goes below zero", "transfers"],
  declines: ["A declined transfer moves nothing", "transfers"],
  balances: ["The balances and marks that a block names are the fold's", "transfers"],
  statements: ["A transfer names the block that touched its wallet before it", "transfers"],
  accounts: ["Accounts that the journal names exist, in their wallet's partition", "accounts"],
  checkpoints: ["The fold of the blocks equals checkpoint + tail", "accounts"],
  watermarks: ["Watermarks name an existing block, and no checkpoint lags behind", "partitions"],
  heads: ["The journal and its sums are as the given heads say", "heads"],
  transit: [
    "Transit over all partitions equals the transfers on their way; all others arrived or went back",
    "moves",
  ],
  postings: [
    "A transfer has its document, and moves its amounts by exactly the legs of its kind",
    "transfers",
  ],
  fundings: ["A funding that succeeded has one credit, any other funding none", "fundings"],
  adjustments: [
    "An adjustment that succeeded has one transfer, any other adjustment none",
    "adjustments",
  ],
  payouts: ["A payout has exactly one debit, FAILED exactly one reversal, SUCCESS none", "payouts"],
  limits: [
    "A counter of a limit has the amounts and the number of the payouts that it counts",
    "counters",
  ],
  batches: [
    "The sum of a bank's file is the sum of its payouts, and each payout is in exactly one",
    "batches",
  ],
  payments: ["A payment that succeeded has one collection, any other payment none", "payments"],
  holds: [
    "A payment charges its link's amounts; a link paid once is held by one payment",
    "payments",
  ],
  refunds: [
    "A refund has exactly one debit, FAILED exactly one reversal, SUCCEEDED none",
    "refunds",
  ],
  refunded: ["The refunded sum of a payment is the sum of its refunds", "payments"],
  billing: [
    "A subscription has its link's terms, is driven, and bills its periods one by one",
    "subscriptions",
  ],
  invoices: [
    "An invoice is of its period, is the sum of its lines by its plan, and has its own number",
    "invoices",
  ],
  renewals: [
    "A renewal charges the amount of its invoice, and pays it; no invoice is paid twice",
    "payments",
  ],
  usage: [
    "A period is closed with the sum of its reports, and its invoice bills that sum",
    "usage",
  ],
  credit: ["An invoice begins with the credit that the one before it carries", "subscriptions"],
  states: ["A state is the last one that its document entered, and fits its step", "payouts"],
  events: [
    "Every visible change has its event, and every event agrees with its document",
    "events",
  ],
  deliveries: [
    "An event has a delivery to each of its endpoints, in a state that fits its attempts",
    "deliveries",
  ],
  tokens: [
    "An application token is spent by the payout that it allowed, and stays spent",
    "tokens",
  ],
  owners: ["The data that a document copies from its owners agrees with the owners", "owned"],
  erasures: ["An erased end user has no personal data left", "erasures"],
  driven: ["A sweeper finds every document that has not ended, in time", "driven"],
} as const;

export type Rule = keyof typeof INVARIANTS;

export interface VerifyReport {
  ok: boolean;
  checked: Record<string, number>;
  violated: Record<string, number>;
  /** The first violations of each rule. */
  violations: { rule: string; detail: string }[];
  violationCount: number;
}

const LISTED_AT_MOST = 20;
const DETAIL_AT_MOST = 500;

/** Creates an empty report; of each rule the first violations are listed. */
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
    count(name: string, by = 1) {
      report.checked[name] = (report.checked[name] ?? 0) + by;
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

/** A document that was tampered with may hold anything, and reports are read on terminals. */
function printable(detail: string): string {
  return detail.replaceAll(/\p{C}/gu, "?").slice(0, DETAIL_AT_MOST);
}
