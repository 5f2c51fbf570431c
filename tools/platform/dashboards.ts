// The dashboards as a table of panels. Grafana's own form repeats some thirty lines for each of
// them: grafana.ts writes it.

type Unit = "short" | "percentunit" | "s" | "ms" | "bytes" | "reqps" | "ops" | "bool_yes_no";
type Query = [expression: string, legend: string];
/** A stat shows its last value alone. */
export type Panel = [title: string, unit: Unit, queries: Query[], type?: "stat"];

/** Per second, over the time that Grafana finds right for the shown range. */
const rate = (counter: string) => `rate(${counter}[$__rate_interval])`;
const by = (labels: string, expression: string) => `sum by (${labels}) (${expression})`;
/** Zero while there is no series of the part, because a counter begins with its first event. */
const share = (part: string, all: string) => `(${part} or 0 * ${all}) / ${all}`;
const largest = (labels: string, gauge: string) => `max by (${labels}) (${gauge})`;
const quantile = (q: number, histogram: string, labels: string, selector = "") => {
  const kept = labels === "" ? "le" : `le, ${labels}`;
  return `histogram_quantile(${q}, ${by(kept, rate(`${histogram}_bucket${selector}`))})`;
};
const quantiles = (histogram: string): Query[] =>
  [0.5, 0.95, 0.99].map((q) => [quantile(q, histogram, ""), `p${q * 100}`]);

const backlog = (kinds: string): Panel[] => [
  [
    "Documents whose next step is due",
    "short",
    [[largest("kind", `payrail_documents_overdue{kind=~"${kinds}"}`), "{{kind}}"]],
  ],
  [
    "Longest overdue step",
    "s",
    [[largest("kind", `payrail_documents_oldest_overdue_seconds{kind=~"${kinds}"}`), "{{kind}}"]],
  ],
  [
    "Documents that need an admin's attention",
    "short",
    [[largest("kind", `payrail_documents_flagged{kind=~"${kinds}"}`), "{{kind}}"]],
  ],
];
const changes = (title: string, kinds: string): Panel => {
  const counter = `payrail_document_changes_total{kind=~"${kinds}"}`;
  return [title, "ops", [[by("kind, status", rate(counter)), "{{kind}} {{status}}"]]];
};
const partners = (title: string, partner: "rail" | "acquirer" | "screening"): Panel[] => {
  const questions = "payrail_partner_request_seconds";
  const of = `{partner="${partner}"}`;
  const failed = `{partner="${partner}", outcome=~"timeout|error"}`;
  return [
    [
      `${title}: answers`,
      "reqps",
      [
        [
          by("name, operation, outcome", rate(`${questions}_count${of}`)),
          "{{name}} {{operation}} {{outcome}}",
        ],
      ],
    ],
    [
      `${title}: time of 95 % of the answers`,
      "s",
      [[quantile(0.95, questions, "name, operation", of), "{{name}} {{operation}}"]],
    ],
    [
      `${title}: questions without an answer`,
      "percentunit",
      [
        [
          share(
            by("name", rate(`${questions}_count${failed}`)),
            by("name", rate(`${questions}_count${of}`)),
          ),
          "{{name}}",
        ],
      ],
    ],
  ];
};
const WITHDRAWALS: Panel = [
  "Requested withdrawals by outcome",
  "reqps",
  [[by("outcome", rate("payrail_withdrawals_total")), "{{outcome}}"]],
];

export const DASHBOARDS: Record<string, Panel[]> = {
  Money: [
    ["The books are proved", "bool_yes_no", [["min(payrail_verification_ok)", ""]], "stat"],
    ["Time since the proof", "s", [["min(payrail_verification_age_seconds)", ""]], "stat"],
    [
      "Documents that need attention",
      "short",
      [[`sum(${largest("kind", "payrail_documents_flagged")})`, ""]],
      "stat",
    ],
    ["Late deliveries", "s", [["max(payrail_webhook_oldest_due_seconds)", ""]], "stat"],
    WITHDRAWALS,
    changes("Statuses that documents have entered", ".+"),
    ...backlog(".+"),
    [
      "Requests by status",
      "reqps",
      [[by("status", rate("payrail_http_requests_total")), "{{status}}"]],
    ],
    ["Time to an answer", "s", quantiles("payrail_http_request_seconds")],
    [
      "Slowest routes: time of 95 % of the answers",
      "s",
      [[`topk(10, ${quantile(0.95, "payrail_http_request_seconds", "route")})`, "{{route}}"]],
    ],
  ],
  Payouts: [
    WITHDRAWALS,
    [
      "Unsubmitted payouts, and withdrawals that wait",
      "short",
      [
        [by("name", "payrail_payouts_unsubmitted"), "{{name}}: unsubmitted"],
        [by("name", "payrail_withdrawals_waiting"), "{{name}}: waiting"],
      ],
    ],
    changes("Statuses that payouts have entered", "payout"),
    ...backlog("payout"),
    ...partners("Rails", "rail"),
    ["Payouts that wait for a review", "short", [["max(payrail_payouts_in_review)", ""]]],
    ["Longest wait for a review", "s", [["max(payrail_payouts_oldest_review_seconds)", ""]]],
    ...partners("Screening", "screening").slice(0, 1),
  ],
  Billing: [
    changes("Payments and refunds", "payment|refund"),
    changes("Subscriptions and invoices", "subscription|invoice"),
    ...backlog("payment|refund|subscription"),
    ...partners("Acquirers", "acquirer"),
  ],
  Webhooks: [
    ["Pending deliveries", "short", [["max(payrail_webhook_deliveries_pending)", "pending"]]],
    ["Longest waiting delivery", "s", [["max(payrail_webhook_oldest_due_seconds)", "due since"]]],
    [
      "Attempts by result",
      "reqps",
      [[by("result", rate("payrail_webhook_attempts_total")), "{{result}}"]],
    ],
    ["Time of an attempt", "s", quantiles("payrail_webhook_attempt_seconds")],
    [
      "Delivered attempts",
      "percentunit",
      [
        [
          share(
            `sum(${rate('payrail_webhook_attempts_total{result="2xx"}')})`,
            `sum(${rate("payrail_webhook_attempts_total")})`,
          ),
          "2xx",
        ],
      ],
    ],
    [
      "Deliveries that were given up",
      "ops",
      [[by("reason", rate("payrail_webhook_dead_letters_total")), "{{reason}}"]],
    ],
  ],
  Ledger: [
    ["Transfers", "ops", [[`sum(${rate("payrail_ledger_block_transfers_sum")})`, "transfers"]]],
    [
      "Blocks by outcome",
      "ops",
      [[by("outcome", rate("payrail_ledger_blocks_total")), "{{outcome}}"]],
    ],
    ["Transfers in a block", "short", quantiles("payrail_ledger_block_transfers")],
    ["Operations that wait", "short", [["payrail_ledger_queued_operations", "{{instance}}"]]],
    [
      "Blocks without a checkpoint (at 1000 postings wait)",
      "short",
      [["payrail_ledger_tail_blocks", "{{instance}}"]],
    ],
    [
      "Age of the oldest block without a checkpoint",
      "s",
      [["payrail_ledger_checkpoint_lag_seconds", "{{instance}}"]],
    ],
    [
      "Time of 95 % of the calls",
      "ms",
      [
        [
          quantile(0.95, "moleculer_request_time", "action", '{action=~"wallet-ledger[.].+"}'),
          "{{action}}",
        ],
      ],
    ],
    [
      "Failed calls",
      "reqps",
      [
        [
          by(
            "action, errorType",
            rate('moleculer_request_error_total{action=~"wallet-ledger[.].+"}'),
          ),
          "{{action}} {{errorType}}",
        ],
      ],
    ],
  ],
  Services: [
    ["Processes that answer", "short", [[by("job", "up"), "{{job}}"]]],
    ["Connected to NATS", "short", [[by("job", "payrail_nats_connected"), "{{job}}"]]],
    [
      "Lost connections to NATS",
      "ops",
      [[by("job", rate("payrail_nats_reconnects_total")), "{{job}}"]],
    ],
    [
      "Delay of the event loop (99 %)",
      "s",
      [['payrail_event_loop_lag_seconds{statistic="p99"}', "{{job}} {{instance}}"]],
    ],
    [
      "Processor cores in use",
      "short",
      [[rate("payrail_process_cpu_seconds_total"), "{{job}} {{instance}}"]],
    ],
    ["Memory", "bytes", [["process_memory_rss", "{{job}} {{instance}}"]]],
    [
      "MongoDB connections in use (at most 20)",
      "short",
      [["payrail_mongodb_connections_in_use", "{{job}} {{instance}}"]],
    ],
    [
      "Operations that wait for a connection",
      "short",
      [["payrail_mongodb_waiting_operations", "{{job}} {{instance}}"]],
    ],
    [
      "Busiest actions",
      "reqps",
      [[`topk(10, ${by("action", rate("moleculer_request_time_count"))})`, "{{action}}"]],
    ],
    [
      "Failed calls",
      "reqps",
      [
        [
          `topk(10, ${by("action, errorType", rate("moleculer_request_error_total"))})`,
          "{{action}} {{errorType}}",
        ],
      ],
    ],
  ],
};
