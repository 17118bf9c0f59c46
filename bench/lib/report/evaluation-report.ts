// Renders the comparison of several recall variants: their measures and differences, each with its interval.
import { getVariantResult, type QuestionResult } from "../ask-questions.ts";
import { getItem } from "../get-item.ts";
import { summarise } from "../measure.ts";
import { type BootstrapOptions, computeInterval, type Interval } from "./bootstrap.ts";
import { renderTable } from "./markdown-table.ts";
import { groupResults, type QuestionGroup } from "./question-groups.ts";
import { MEASURES } from "./ranking-quality.ts";

export interface EvaluationReportOptions extends BootstrapOptions {
  /** The names of the variants, the first of which the others are compared with. */
  variants: readonly string[];
  /** Whether each category has a table of its own. */
  byCategory: boolean;
}

/** The columns of a comparison, for turns and for sessions alike. */
const COLUMNS = ["R@5", "R@10", "nDCG@10", "MRR"] as const;

export function renderEvaluation(results: QuestionResult[], options: EvaluationReportOptions): string {
  const { headline, groups } = groupResults(results);
  const shown = options.byCategory ? groups : [headline];
  return [
    ...options.variants.flatMap((variant) => describeFallbacks(results, variant)),
    ...shown.flatMap((group) => renderGroup(group, options)),
    `95 % intervals, by bootstrap over the questions (${options.samples} samples, seed ${options.seed}), in percent. * the interval of the difference excludes 0.`,
  ].join("\n\n");
}

function renderGroup(group: QuestionGroup, options: EvaluationReportOptions): string[] {
  const { variants } = options;
  const [first = "", ...others] = variants;
  const align = `lr${"r".repeat(COLUMNS.length)}`;
  const rows = variants.map((variant) => {
    const { p50 } = summarise(group.results.map((result) => getVariantResult(result, variant).ms));
    const cells = COLUMNS.map((column) =>
      formatInterval(computeInterval(measure(group, variant, column), options)),
    );
    return [variant, String(group.results.length), ...cells, p50.toFixed(1)];
  });
  const table = renderTable([group.name, "n", ...COLUMNS, "p50 ms"], `${align}r`, rows);
  if (others.length === 0) return [table];
  const differences = others.map((variant) => {
    const cells = COLUMNS.map((column) => {
      const base = measure(group, first, column);
      const changes = measure(group, variant, column).map((value, i) => value - getItem(base, i));
      return formatDifference(computeInterval(changes, options));
    });
    return [variant, String(group.results.length), ...cells];
  });
  return [table, renderTable([`${group.name}: difference to ${first}`, "n", ...COLUMNS], align, differences)];
}

/** Returns a measure of each question. */
function measure(
  { results }: QuestionGroup,
  variant: string,
  column: (typeof COLUMNS)[number],
): readonly number[] {
  return results.map((result) => {
    const compute = MEASURES[result.level][column];
    if (compute === undefined) throw new Error(`There is no measure ${column}`);
    return compute(getVariantResult(result, variant).ranks);
  });
}

function formatInterval({ mean, low, high }: Interval): string {
  return `${formatPercent(mean)} [${formatPercent(low)}, ${formatPercent(high)}]`;
}

function formatDifference({ mean, low, high }: Interval): string {
  const format = (value: number) => (value > 0 ? "+" : "") + formatPercent(value);
  const mark = low > 0 || high < 0 ? " *" : "";
  return `${format(mean)} [${format(low)}, ${format(high)}]${mark}`;
}

function formatPercent(value: number): string {
  return (100 * value).toFixed(1);
}

/** The figures of a variant are not those of its options if the service fell back to others. */
function describeFallbacks(results: readonly QuestionResult[], variant: string): string[] {
  const reasons = results.flatMap((result) => getVariantResult(result, variant).fallback ?? []);
  if (reasons.length === 0) return [];
  return [`NOT as asked: ${variant}, ${reasons.length} of ${results.length} answers. ${getItem(reasons, 0)}`];
}
