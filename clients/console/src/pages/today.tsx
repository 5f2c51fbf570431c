// What was made today, in UTC: payouts, payments and failures.

import type { ComponentChildren } from "preact";
import { money, number } from "../format.ts";
import { type DayRow, startOfToday } from "../merchant/statistics.ts";
import { href } from "../router.ts";
import { Section } from "../ui/basics.tsx";

interface TodayProps {
  /** The rows of today, of one currency or more; null while they are not known. */
  rows: DayRow[] | null;
  /** Where the transactions are listed, if one list has them. */
  listPath?: string[];
  /** What the rows are narrowed by. */
  children?: ComponentChildren;
}

export function Today({ rows, listPath, children }: TodayProps) {
  const of = (flow: DayRow["flow"]) => rows?.filter((row) => row.flow === flow) ?? null;
  const [payouts, payments] = [of("payouts"), of("collections")];
  const from = new Date(startOfToday()).toISOString().slice(0, "yyyy-mm-dd".length);
  const to = (query: Record<string, string>) => listPath && href(listPath, { from, ...query });
  return (
    <Section title="Today, in UTC">
      {children}
      <ul class="cards">
        <Tile
          title="Payouts"
          count={payouts && countOf(payouts)}
          detail={payouts && volumeOf(payouts, "paid")}
          to={to({ flow: "WITHDRAWAL" })}
        />
        <Tile
          title="Payments"
          count={payments && countOf(payments)}
          detail={payments && volumeOf(payments, "collected")}
          to={to({ flow: "COLLECTION" })}
        />
        <Tile
          title="Failures"
          count={payouts && payments && failed([...payouts, ...payments])}
          detail={
            payouts &&
            payments &&
            `${number(failed(payouts))} of payouts, ${number(failed(payments))} of payments`
          }
          to={to({ status: "FAILED" })}
        />
      </ul>
    </Section>
  );
}

interface TileProps {
  title: string;
  count: number | null;
  detail: string | null;
  to: string | undefined;
}

function Tile({ title, count, detail, to }: TileProps) {
  return (
    <li class="panel">
      <h3>{to ? <a href={to}>{title}</a> : title}</h3>
      <p class="sum">{count === null ? "–" : number(count)}</p>
      <p class="quiet">{detail}</p>
    </li>
  );
}

const sum = (rows: DayRow[], of: (row: DayRow) => number) =>
  rows.reduce((total, row) => total + of(row), 0);
const countOf = (rows: DayRow[]) =>
  sum(rows, ({ succeeded, failed, open }) => succeeded + failed + open);
const failed = (rows: DayRow[]) => sum(rows, (row) => row.failed);

/** Such as `USD 2,954.25 paid, 1 on the way`. */
function volumeOf(rows: DayRow[], verb: string): string {
  const sums = rows
    .filter(({ succeeded }) => succeeded > 0)
    .map(({ amount, currency }) => money(amount, currency));
  const open = sum(rows, (row) => row.open);
  return [
    sums.length > 0 ? `${sums.join(" and ")} ${verb}` : `Nothing ${verb} yet`,
    open > 0 && `${number(open)} on the way`,
  ]
    .filter(Boolean)
    .join(", ");
}
