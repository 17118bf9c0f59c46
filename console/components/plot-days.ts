// Draws counts by day as stacked bars with uPlot.
import uPlot from "uplot";
import { readColour } from "../state/read-colour";
import type { ChartSeries } from "./day-chart";

const HEIGHT = 180;
const HALF_DAY = 43_200;
/** Counts have no fractions. */
const COUNT_STEPS = Array.from({ length: 9 }, (_, power) =>
  [1, 2, 5].map((step) => step * 10 ** power),
).flat();
/** Seconds between two labels: a day has one at most. */
const DAY_STEPS = [1, 2, 3, 4, 6, 7, 14, 30, 60, 90, 180, 365].map((days) => days * 2 * HALF_DAY);
/** 12,000 as "12K": long numbers would not fit the axis. */
const COMPACT = new Intl.NumberFormat("en", { notation: "compact" });

/** Returns a function that removes the chart. Calls `point` with the index of the day under the pointer. */
export function plotDays(
  element: HTMLElement,
  days: readonly string[],
  series: readonly ChartSeries[],
  point: (day: number | null) => void,
): () => void {
  const times = days.map((day) => Date.parse(`${day}T00:00:00Z`) / 1_000);
  const text = readColour(element, "soft");
  const line = readColour(element, "line");
  const axis = { stroke: text, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
  const bars = uPlot.paths.bars?.({ size: [0.7, 40] });
  // The highest stack is drawn first, so that each series covers the rest of it.
  const stacked = series.map((_, index) =>
    days.map((_day, at) =>
      series.slice(0, index + 1).reduce((sum, { values }) => sum + (values[at] ?? 0), 0),
    ),
  );
  const options: uPlot.Options = {
    width: element.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    hooks: { setCursor: [({ cursor }) => point(cursor.idx ?? null)] },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), "UTC"),
    scales: {
      // Half a day on both sides, so that the first and the last bar are whole.
      x: { range: (_plot, min, max) => [min - HALF_DAY, max + HALF_DAY] },
      y: { range: (_plot, _min, max) => [0, Math.max(1, max)] },
    },
    axes: [
      { ...axis, incrs: DAY_STEPS, values: [[86_400, "{D} {MMM}", null, null, null, null, null, null, 1]] },
      {
        ...axis,
        size: 44,
        incrs: COUNT_STEPS,
        values: (_plot, counts) => counts.map((count) => COMPACT.format(count)),
      },
    ],
    series: [
      {},
      ...series
        .map(({ tone }): uPlot.Series => {
          const colour = readColour(element, tone);
          return {
            fill: colour,
            stroke: colour,
            width: 0,
            points: { show: false },
            ...(bars === undefined ? {} : { paths: bars }),
          };
        })
        .reverse(),
    ],
  };
  const plot = new uPlot(options, [times, ...stacked.reverse()], element);
  const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
  observer.observe(element);
  return () => {
    observer.disconnect();
    plot.destroy();
  };
}
