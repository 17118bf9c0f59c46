// Groups questions by their category for a report.
import type { QuestionResult } from "../ask-questions.ts";

/** Questions under one heading. */
export interface QuestionGroup {
  name: string;
  results: QuestionResult[];
}

/** The category that published scores of the numbered data leave out. */
const LEFT_OUT = "5 adversarial";

/** Groups by category, then totals: without the category that published scores leave out, and with it. */
export function groupResults(results: QuestionResult[]): {
  headline: QuestionGroup;
  groups: QuestionGroup[];
} {
  const categories = [...new Set(results.map(({ category }) => category))].sort().map((name) => ({
    name,
    results: results.filter(({ category }) => category === name),
  }));
  const published = results.filter(({ category }) => category !== LEFT_OUT);
  const headline = { name: "1 to 4", results: published };
  const all = { name: "all", results };
  if (published.length === 0 || published.length === results.length)
    return { headline: all, groups: [...categories, all] };
  return { headline, groups: [...categories, headline, all] };
}
