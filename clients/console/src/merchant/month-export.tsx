// The export of a month: the balance report as a file.

import { readFile } from "../api.ts";
import { saveFile } from "../save-file.ts";
import { Action } from "../ui/action.tsx";
import type { Values } from "../ui/form.tsx";
import { CURRENCIES } from "./currencies.ts";

/** Months that can be chosen; the API has no limit. */
const MONTHS = 24;

/** Saves the report of a month. */
export function MonthExport({ currencies }: { currencies: string[] }) {
  const held = CURRENCIES.filter((each) => currencies.includes(each));
  const months = lastMonths(new Date());
  return (
    <Action
      label="Export a month"
      about={
        <p>
          Saves a CSV file with the opening balance, every movement with its fee, party and
          reference, and the closing balance of the wallet and the collection account of the
          business. Months are in UTC.
        </p>
      }
      fields={[
        {
          name: "month",
          label: "Month",
          kind: "choice",
          options: months.map(({ name }) => [name, name]),
          // The month before is over.
          initial: months[1]?.name,
        },
        {
          name: "currency",
          label: "Currency",
          kind: "choice",
          options: held.map((each) => [each, each]),
        },
      ]}
      run={async ({ month: name = "", currency = "" }: Values) => {
        const month = months.find((each) => each.name === name);
        if (!month) return;
        const query = { currency, from: month.from, to: month.to, format: "csv" };
        const file = await readFile("/reports/balance", query);
        saveFile(`balance-${currency}-${name}.csv`, "text/csv;charset=utf-8", ["\uFEFF", file]);
      }}
      onDone={() => {}}
    />
  );
}

interface Month {
  /** Such as 2026-11. */
  name: string;
  from: string;
  /** The start of the next month. */
  to: string;
}

/** The last months in UTC, the newest first. */
function lastMonths(now: Date): Month[] {
  const beginOf = (monthsAgo: number) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsAgo)).toISOString();
  return Array.from({ length: MONTHS }, (_, i) => ({
    name: beginOf(i).slice(0, 7),
    from: beginOf(i),
    to: beginOf(i - 1),
  }));
}
