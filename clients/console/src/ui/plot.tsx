// The drawing of a chart, by uPlot. Screen readers skip it: chart.tsx has the numbers in a table.

import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { day } from "../format.ts";

/** How values are shown. */
export interface Scale {
  format(value: number): string;
  /** At the axis, where there is little room. */
  short(value: number): string;
  /** The end of the axis, if it is not by the values. */
  most?: number;
  /** The steps that the axis may have, if they are not decimal. */
  steps?: number[];
}

export interface PlotProps {
  /** A stack has its first series at the bottom. */
  kind: "bars" | "lines" | "stack";
  /** Such as `2026-01-05`, in UTC. */
  days: string[];
  /** At most two, or three of a stack: more colours are hard to tell apart. */
  series: { values: (number | null)[] }[];
  scale: Scale;
  /** Told of the place of the day under the pointer; null without one. */
  onPoint(place: number | null): void;
}

const DAY_S = 86_400;
const HEIGHT_PX = 180;
/** The room of the axes, in pixels. */
const DAYS_PX = 32;
const VALUES_PX = 58;
const DARK = "(prefers-color-scheme: dark)";

export function Plot(props: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  const isDark = useIsDark();
  const { onPoint, days, series } = props;
  const latest = useRef(onPoint);
  latest.current = onPoint;
  const numbers = JSON.stringify([days, series.map(({ values }) => values)]);

  // It is drawn again with other numbers and other colours.
  useEffect(() => {
    const target = place.current as HTMLDivElement;
    const seconds = days.map((each) => Date.parse(each) / 1_000);
    const data = [seconds, ...drawn(props)] as uPlot.AlignedData;
    const size = () => ({ width: target.clientWidth, height: HEIGHT_PX });
    const options = optionsFor(props, coloursOf(target));
    const hooks = { setCursor: [({ cursor }: uPlot) => latest.current(cursor.idx ?? null)] };
    const plot = new uPlot({ ...size(), ...options, hooks }, data, target);
    const observer = new ResizeObserver(() => plot.setSize(size()));
    observer.observe(target);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [numbers, isDark]);

  return (
    <div ref={place} class="plot" aria-hidden="true">
      {series.map((_, i) => (
        <span key={i} class={`series-${i + 1}`} />
      ))}
    </div>
  );
}

function useIsDark(): boolean {
  const [isDark, setIsDark] = useState(matchMedia(DARK).matches);
  useEffect(() => {
    const query = matchMedia(DARK);
    const read = () => setIsDark(query.matches);
    query.addEventListener("change", read);
    return () => query.removeEventListener("change", read);
  }, []);
  return isDark;
}

/** The values as they are drawn: those of a stack from the top, each over the ones below it. */
function drawn({ kind, series }: PlotProps): (number | null)[][] {
  const all = series.map(({ values }) => values);
  if (kind !== "stack") return all;
  const heights = all.map((values, i) =>
    values.map((_, at) => all.slice(0, i + 1).reduce((sum, each) => sum + (each[at] ?? 0), 0)),
  );
  return heights.toReversed();
}

interface Colours {
  text: string;
  grid: string;
  series: string[];
}

/** A canvas knows no custom properties, so the style sheet gives their values to elements. */
function coloursOf(plot: HTMLElement): Colours {
  const { color, borderTopColor } = getComputedStyle(plot);
  const series = [...plot.querySelectorAll("[class^=series]")];
  return {
    text: color,
    grid: borderTopColor,
    series: series.map((each) => getComputedStyle(each).color),
  };
}

function optionsFor({ kind, series, scale }: PlotProps, { text, grid, series: own }: Colours) {
  const colours = kind === "stack" ? own.toReversed() : own;
  const axis: uPlot.Axis = {
    stroke: text,
    grid: { stroke: grid, width: 1 },
    ticks: { show: false },
    font: "12px system-ui",
  };
  return {
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    tzDate: (at: number) => uPlot.tzDate(new Date(at * 1_000), "Etc/UTC"),
    scales: {
      // Half a day more at each end has room for the bars.
      x: { range: (_plot, min, max) => [min - DAY_S / 2, max + DAY_S / 2] },
      y: {
        range: (_plot, min, max) => [
          Math.min(0, min ?? 0),
          scale.most ?? (max ? Math.max(max, 0) * 1.08 : 1),
        ],
      },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: DAYS_PX,
        gap: 8,
        space: 64,
        incrs: [1, 2, 7, 14, 28].map((days) => days * DAY_S),
        values: (_plot, splits) =>
          splits.map((at) => day(new Date(at * 1_000).toISOString().slice(0, "yyyy-mm-dd".length))),
      },
      {
        ...axis,
        size: VALUES_PX,
        space: 36,
        ...(scale.steps && { incrs: scale.steps }),
        values: (_plot, splits) => splits.map(scale.short),
      },
    ],
    series: [{}, ...series.map((_, i) => styleOf(kind, i, series.length, colours[i]))],
  } satisfies Omit<uPlot.Options, "width" | "height">;
}

/** Lines differ in their dashes too, bars and the parts of a stack in their place. */
function styleOf(kind: PlotProps["kind"], i: number, count: number, colour = ""): uPlot.Series {
  if (kind === "lines") {
    return {
      stroke: colour,
      width: 2,
      dash: i === 0 ? [] : [6, 4],
      // A day between days without a value has no line, only its point.
      points: { show: true, size: 4, fill: colour },
    };
  }
  const beside = kind === "stack" ? 1 : count;
  const align = beside === 1 ? 0 : i === 0 ? -1 : 1;
  return {
    stroke: colour,
    fill: colour,
    width: 0,
    points: { show: false },
    paths: uPlot.paths.bars?.({ size: [0.8 / beside, 40], align }),
  };
}
