// Reports about a business's money. A balance report may have a million movements, so it is made
// while its reader takes it: page by page from the ledger, and the services that know the
// transactions of a page tell their references and parties.

import { checker } from "../../../shared/contracts/checker.ts";
import { list, object } from "../../../shared/contracts/compound-fields.ts";
import { action, signedMoney } from "../../../shared/contracts/contract.ts";
import type { Params, Result } from "../../../shared/contracts/contracts.ts";
import { type Infer, optional } from "../../../shared/contracts/field.ts";
import { anything, oneOf } from "../../../shared/contracts/fields.ts";
import { SHOWN_AT_MOST } from "../../../shared/contracts/parties.ts";
import {
  type BalanceRow,
  balanceRow,
  period,
  READ_WITHIN_MS,
} from "../../../shared/contracts/reports.ts";
import { csvLine } from "../../../shared/csv.ts";
import { isoTime } from "../../../shared/iso-time.ts";
import { toDecimal } from "../../../shared/money.ts";
import type { HttpAnswer } from "../http/answer.ts";
import { type Call, composed, envelope, OWN_BUSINESS, type Route, route } from "../http/route.ts";
import { inParts } from "../http/streamed.ts";

type Account = Result<"wallet-ledger.period">[number];
type Movement = Result<"wallet-ledger.movements">[number];

/** The text of each format. */
const FORMATS = { json: jsonOf, csv: csvOf };
const FORMAT_NAMES = ["json", "csv"] as const satisfies (keyof typeof FORMATS)[];

const report = object(
  {
    opening: signedMoney("The balance before the first movement", "100.00"),
    closing: signedMoney("The balance after the last movement", "74.75"),
    rows: list(balanceRow, { max: 1_000_000_000, note: "The movements, oldest first" }),
  },
  {
    name: "BalanceReport",
    note: "The money of a period. The opening balance plus the sum of net is the closing balance",
  },
);

const balanceReport = action({
  does: "Reports the money of a business in a period, with every movement. It has the balance before the first movement, the movements, and the balance after the last one: of the business's own wallet and its collection account together, or of one account alone",
  params: {
    ...period,
    format: optional(oneOf(FORMAT_NAMES, { note: "The form of the answer", default: "json" })),
  },
  result: anything<HttpAnswer>(),
  errors: ["WALLET_NOT_FOUND"],
  timeoutMs: Number.POSITIVE_INFINITY,
});
type Asked = Infer<typeof balanceReport.params>;

/** The parts of a report, from which each format is made. */
interface Parts {
  asked: Asked;
  opening: string;
  closing: string;
  rows: AsyncIterable<BalanceRow>;
}

const check = checker(balanceReport.params);

async function reportBalance(params: Asked, call: Call): Promise<HttpAnswer> {
  const asked = check(params);
  const { format = "json", ...ofPeriod } = asked;
  const accounts = await call("wallet-ledger.period", ofPeriod, { timeoutMs: READ_WITHIN_MS });
  const rows = inOrder(accounts.map((account) => rowsOf(account, asked.businessId, call)));
  const { headers, texts } = FORMATS[format]({
    asked,
    opening: sum(accounts.map(({ opening }) => opening)),
    closing: sum(accounts.map(({ closing }) => closing)),
    rows,
  });
  return { status: 200, headers, body: await inParts(texts) };
}

function sum(minors: number[]): string {
  return toDecimal(minors.reduce((total, minor) => total + BigInt(minor), 0n));
}

/** The movements of an account, oldest first. */
async function* rowsOf(
  { id: accountId, after, through }: Account,
  businessId: string,
  call: Call,
): AsyncGenerator<BalanceRow, undefined> {
  const range = { businessId, accountId, after, through };
  let before = after;
  for await (const end of pageEnds(range, call)) {
    const page = { ...range, after: before, through: end };
    const movements = await call("wallet-ledger.movements", page, { timeoutMs: READ_WITHIN_MS });
    for (const row of await withParties(movements, businessId, call)) yield { ...row, accountId };
    before = end;
  }
}

/** The last blocks of the pages of a range, oldest first. */
async function* pageEnds(range: Params<"wallet-ledger.pages">, call: Call): AsyncGenerator<number> {
  const options = { timeoutMs: READ_WITHIN_MS };
  const { ends, rest } = await call("wallet-ledger.pages", range, options);
  if (rest) {
    yield* pageEnds({ ...range, through: rest.middle }, call);
    yield* pageEnds({ ...range, after: rest.middle, through: rest.through }, call);
  }
  yield* ends;
}

type Named = Omit<BalanceRow, "accountId">;
/** What a service tells of a transaction. */
type Told = Result<"payment-links.references">[number];

/** Adds the references and the parties, which the ledger does not know. */
async function withParties(
  movements: Movement[],
  businessId: string,
  call: Call,
): Promise<Named[]> {
  const asked = (...kinds: Movement["kind"][]) => {
    const found = movements.filter(({ kind }) => kinds.includes(kind));
    return { businessId, ids: distinct(found.map(({ transactionId }) => transactionId)) };
  };
  const [ofPayouts, ofPayments] = await Promise.all([
    tellPayouts(asked("PAYOUT", "PAYOUT_REVERSAL"), call),
    tellPayments(asked("PAYMENT", "REFUND"), call),
  ]);
  const told = new Map([...ofPayouts, ...ofPayments].map((each) => [each.id, each]));
  return movements.map((movement) => {
    const { party = null, reference = movement.reference } = told.get(movement.transactionId) ?? {};
    return { ...movement, party, reference };
  });
}

type Transactions = Params<"payouts.references">;

async function tellPayments(asked: Transactions, call: Call): Promise<Told[]> {
  if (asked.ids.length === 0) return [];
  return call("payment-links.references", asked, { timeoutMs: READ_WITHIN_MS });
}

/** Only accounts knows the recipients of payouts. */
async function tellPayouts(asked: Transactions, call: Call): Promise<Told[]> {
  if (asked.ids.length === 0) return [];
  const options = { timeoutMs: READ_WITHIN_MS };
  const payouts = await call("payouts.references", asked, options);
  const accounts = distinct(payouts.map(({ linkedAccountId }) => linkedAccountId));
  const names = new Map<string, string>();
  for (let i = 0; i < accounts.length; i += SHOWN_AT_MOST) {
    const linkedAccountIds = accounts.slice(i, i + SHOWN_AT_MOST);
    const parties = { linkedAccountIds, entityIds: [] };
    const { recipients } = await call("accounts.parties", parties, options);
    for (const { id, name } of recipients) names.set(id, name);
  }
  return payouts.map(({ id, linkedAccountId, reference }) => ({
    id,
    party: names.get(linkedAccountId) ?? null,
    reference,
  }));
}

function distinct(ids: string[]): string[] {
  return [...new Set(ids)];
}

/** Merges the movements of accounts by time. Those of one account stay in their order. */
async function* inOrder(accounts: AsyncGenerator<BalanceRow, undefined>[]) {
  const next = await Promise.all(
    accounts.map(async (rows) => ({ rows, row: (await rows.next()).value })),
  );
  for (;;) {
    const left = next.filter(({ row }) => row !== undefined);
    const [first] = left.toSorted((a, b) => at(a.row).localeCompare(at(b.row)));
    if (!first?.row) return;
    yield first.row;
    first.row = (await first.rows.next()).value;
  }
}

const at = (row: BalanceRow | undefined) => row?.createdAt ?? "";

interface Text {
  headers: Record<string, string>;
  texts: AsyncIterable<string>;
}

function jsonOf({ opening, closing, rows }: Parts): Text {
  async function* texts() {
    const data = JSON.stringify({ opening, closing });
    yield `{"success":true,"data":${data.slice(0, -1)},"rows":[`;
    let separator = "";
    for await (const row of rows) {
      yield separator + JSON.stringify(row);
      separator = ",";
    }
    yield "]}}";
  }
  return { headers: { "content-type": "application/json; charset=utf-8" }, texts: texts() };
}

const COLUMNS = [
  "createdAt",
  "kind",
  "transactionId",
  "accountId",
  "gross",
  "fee",
  "net",
  "balance",
  "party",
  "reference",
] as const satisfies (keyof BalanceRow)[];

function csvOf({ asked: { currency, from, to }, opening, closing, rows }: Parts): Text {
  const edge = (kind: string, moment: string, balance: string) =>
    lineOf({ createdAt: isoTime(Date.parse(moment)), kind, balance });
  async function* texts() {
    yield csvLine([...COLUMNS]);
    yield edge("OPENING", from, opening);
    for await (const row of rows) yield lineOf(row);
    yield edge("CLOSING", to, closing);
  }
  const name = `balance-${currency}-${from.slice(0, 10)}-${to.slice(0, 10)}.csv`;
  const headers = {
    "content-type": "text/csv; charset=utf-8",
    "content-disposition": `attachment; filename="${name}"`,
  };
  return { headers, texts: texts() };
}

function lineOf(row: Partial<Record<(typeof COLUMNS)[number], string | null>>): string {
  return csvLine(COLUMNS.map((column) => row[column] ?? ""));
}

const EXAMPLE = {
  createdAt: "2026-01-05T09:30:00.000Z",
  kind: "PAYOUT",
  transactionId: "0198c0de-7a51-7000-8000-3f1d5a2b9c01",
  gross: "-25.00",
  fee: "0.25",
  net: "-25.25",
  balance: "74.75",
  reference: "payroll-2026-01-ada",
  accountId: "0198c0de-7a54-7000-8000-2d6b1c0f9e47",
  party: "Ada Lovelace",
};
const PERIOD = { from: "2026-01-01", to: "2026-02-01" };

export const reportRoutes: Route[] = [
  composed(
    "GET /v1/business/:businessId/reports/balance",
    OWN_BUSINESS,
    "getBalanceReport",
    balanceReport,
    reportBalance,
    {
      answer: {
        statuses: [200],
        schema: envelope({ data: report.schema }),
        csv: [
          csvLine([...COLUMNS]),
          lineOf({ createdAt: `${PERIOD.from}T00:00:00.000Z`, kind: "OPENING", balance: "100.00" }),
          lineOf(EXAMPLE),
          lineOf({ createdAt: `${PERIOD.to}T00:00:00.000Z`, kind: "CLOSING", balance: "74.75" }),
        ].join(""),
        of: (answer) => answer,
      },
      example: {
        response: {
          success: true,
          data: { opening: "100.00", closing: "74.75", rows: [EXAMPLE] },
        },
      },
    },
  ),
  route(
    "GET /v1/business/:businessId/balances",
    OWN_BUSINESS,
    "listBalances",
    "wallet-ledger.balances",
  ),
];
