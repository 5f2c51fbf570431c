// Charts over days. The same numbers are in a table below each.

import { useState } from "preact/hooks";
import { day } from "../format.ts";
import { Plot, type PlotProps } from "./plot.tsx";
import { type Column, Table } from "./table.tsx";

export interface Series {
  label: string;
  /** One for each day; null where there is none. */
  values: (number | null)[];
  /** What they come to, over all days. */
  total?: number | null;
}

interface ChartProps extends Omit<PlotProps, "onPoint"> {
  title: string;
  series: Series[];
}

export function Chart({ title, ...plot }: ChartProps) {
  const { days, series, scale } = plot;
  // The day under the pointer.
  const [pointed, setPointed] = useState<number | null>(null);
  const text = (value: number | null | undefined) => (value == null ? "–" : scale.format(value));
  const columns: Column<number>[] = [
    { title: "Day", text: (i) => day(days[i] ?? "") },
    ...series.map(({ label, values }) => ({
      title: label,
      text: (i: number) => text(values[i]),
      isNumber: true,
    })),
  ];
  return (
    <figure class="panel chart">
      <figcaption>
        <h3>{title}</h3>
        {pointed !== null && <span class="quiet">{day(days[pointed] ?? "")}</span>}
      </figcaption>
      <ul class="legend">
        {series.map(({ label, values, total }, i) => (
          <li key={label} class={`series-${i + 1}`}>
            {label}{" "}
            <strong>
              {pointed === null ? total != null && text(total) : text(values[pointed])}
            </strong>
          </li>
        ))}
      </ul>
      <Plot {...plot} onPoint={setPointed} />
      <details>
        <summary>The numbers of {title.toLowerCase()}</summary>
        <Table caption={title} columns={columns} items={[...days.keys()]} idOf={String} />
      </details>
    </figure>
  );
}
