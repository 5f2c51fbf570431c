// The charts of the overview: volume, payouts by state, success rate, time to settlement and fees
// by day.

import { money, number, share, shortDuration, shortNumber } from "../format.ts";
import { useLoad } from "../load.ts";
import { go, useLocation } from "../router.ts";
import { Loading, Problem, Section } from "../ui/basics.tsx";
import { Chart, type Series } from "../ui/chart.tsx";
import { chosenIn, type Filter, Filters } from "../ui/filters.tsx";
import type { Scale } from "../ui/plot.tsx";
import { CURRENCIES } from "./currencies.ts";
import { type DayRow, readStatistics, type Statistics } from "./statistics.ts";

function filtersFor(currency: string): Filter[] {
  return [
    {
      name: "days",
      label: "Time",
      options: [
        ["7", "Last 7 days"],
        ["30", "Last 30 days"],
        ["90", "Last 90 days"],
      ],
      initial: "30",
    },
    {
      name: "currency",
      label: "Currency",
      options: CURRENCIES.map((each) => [each, each]),
      initial: currency,
    },
  ];
}

/** @param currency to begin with */
export function Charts({ currency: initial }: { currency: string }) {
  const { path, query } = useLocation();
  const filters = filtersFor(initial);
  const chosen = chosenIn(query, filters);
  const { days = "", currency = "" } = chosen;
  const { data, error } = useLoad(`${days} ${currency}`, () =>
    readStatistics(currency, Number(days)),
  );
  return (
    <Section title="Activity by day, in UTC">
      <div class="tools">
        <Filters filters={filters} chosen={chosen} onChange={(values) => go(path, values)} />
      </div>
      <Problem error={error} />
      {!data && !error && <Loading />}
      {data && isEmpty(data) && (
        <p class="empty">There was no payout and no payment in {currency} in this time.</p>
      )}
      {data && !isEmpty(data) && <AllCharts of={data} currency={currency} />}
    </Section>
  );
}

function isEmpty({ payouts, collections }: Statistics): boolean {
  return [...payouts, ...collections].every(
    ({ succeeded, failed, open }) => succeeded + failed + open === 0,
  );
}

const SHARE: Scale = { format: share, short: share, most: 1 };

/** Whole numbers, up to ten million. */
const COUNT: Scale = {
  format: number,
  short: shortNumber,
  steps: [0, 1, 2, 3, 4, 5, 6].flatMap((digits) => [1, 2, 5].map((step) => step * 10 ** digits)),
};

const MINUTE_S = 60;
const HOUR_S = 3_600;
const DAY_S = 86_400;
const TIME: Scale = {
  format: shortDuration,
  short: shortDuration,
  steps: [
    ...[1, 5, 10, 30],
    ...[1, 5, 10, 30].map((minutes) => minutes * MINUTE_S),
    ...[1, 3, 6, 12].map((hours) => hours * HOUR_S),
    ...[1, 2, 5, 10].map((days) => days * DAY_S),
  ],
};

function moneyScale(currency: string): Scale {
  return { format: (value) => money(value.toFixed(2), currency), short: shortNumber };
}

function AllCharts({ of, currency }: { of: Statistics; currency: string }) {
  const { payouts, collections, refunds } = of;
  const days = payouts.map(({ day }) => day);
  const inMoney = moneyScale(currency);
  const amount = (row: DayRow) => Number(row.amount);
  const fees = (row: DayRow) => Number(row.fees);
  const lessRefunds = (row: DayRow, i: number) => fees(row) - Number(refunds[i]?.fees ?? 0);
  const settled = (which: "median" | "p95") =>
    payouts.map(({ secondsToSettle }) => secondsToSettle?.[which] ?? null);
  return (
    <div class="charts">
      <Chart
        title="Volume"
        kind="bars"
        days={days}
        scale={inMoney}
        series={[summed("Payouts", payouts, amount), summed("Payments", collections, amount)]}
      />
      <Chart
        title="Payouts by state"
        kind="stack"
        days={days}
        scale={COUNT}
        series={[
          summed("Succeeded", payouts, ({ succeeded }) => succeeded),
          summed("Failed", payouts, ({ failed }) => failed),
          summed("On their way", payouts, ({ open }) => open),
        ]}
      />
      <Chart
        title="Success rate"
        kind="lines"
        days={days}
        scale={SHARE}
        series={[rates("Payouts", payouts), rates("Payments", collections)]}
      />
      <Chart
        title="Time to settlement of payouts"
        kind="lines"
        days={days}
        scale={TIME}
        series={[
          { label: "Median", values: settled("median") },
          { label: "95th percentile", values: settled("p95") },
        ]}
      />
      <Chart
        title="Fees"
        kind="bars"
        days={days}
        scale={inMoney}
        series={[
          summed("Payouts", payouts, fees),
          summed("Payments, less refunds", collections, lessRefunds),
        ]}
      />
    </div>
  );
}

function summed(label: string, rows: DayRow[], of: (row: DayRow, i: number) => number): Series {
  const values = rows.map(of);
  return { label, values, total: values.reduce((total, value) => total + value, 0) };
}

/** The share of those that have ended that have succeeded. */
function rates(label: string, rows: DayRow[]): Series {
  const rate = (some: DayRow[]) => {
    const succeeded = some.reduce((count, row) => count + row.succeeded, 0);
    const failed = some.reduce((count, row) => count + row.failed, 0);
    return succeeded + failed > 0 ? succeeded / (succeeded + failed) : null;
  };
  return { label, values: rows.map((row) => rate([row])), total: rate(rows) };
}
