// A stacked bar chart of counts by day. The plotting library is loaded with the first chart.
import { useEffect, useRef, useState } from "preact/hooks";
import { formatCount, formatDay, formatQuantity } from "../state/format";
import { theme } from "../state/theme";

export type ChartSeries = {
  name: string;
  tone: "accent" | "good" | "warn" | "danger";
  values: readonly number[];
};

type DayChartProps = {
  label: string;
  /** Days as ISO dates, oldest first. */
  days: readonly string[];
  series: readonly ChartSeries[];
};

export function DayChart({ label, days, series }: DayChartProps) {
  const element = useRef<HTMLDivElement>(null);
  const selectedTheme = theme.value;
  const data = JSON.stringify([days, series]);
  /** The day under the pointer. */
  const [pointed, setPointed] = useState<number | null>(null);

  useEffect(() => {
    let isGone = false;
    let remove = () => {};
    void import("./plot-days").then(({ plotDays }) => {
      if (!isGone && element.current !== null) remove = plotDays(element.current, days, series, setPointed);
    });
    return () => {
      isGone = true;
      remove();
    };
  }, [data, selectedTheme]);

  return (
    <figure class="chart">
      <div ref={element} class="chart-canvas" role="img" aria-label={`${label}: ${describe(series)}`} />
      <figcaption class="meta">
        {series.map(({ name, tone, values }) => (
          <span key={name} class={`legend legend-${tone}`}>
            {name} {formatCount(pointed === null ? sum(values) : (values[pointed] ?? 0))}
          </span>
        ))}
        <span>{formatDay(days[pointed ?? -1]) ?? `in ${formatQuantity(days.length, "day")}`}</span>
      </figcaption>
    </figure>
  );
}

function describe(series: readonly ChartSeries[]): string {
  return series.map(({ name, values }) => `${formatCount(sum(values))} ${name}`).join(", ");
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
