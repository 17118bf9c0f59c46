// Labels of blank nodes in one answer. Stored labels may contain characters that a syntax does not allow.
import type { Term } from "n3";

/** Returns the label of a blank node: the same one wherever it occurs in the answer. */
export type LabelBlankNode = (term: Term) => string;

/** Labels the blank nodes of an answer `b0`, `b1` and so on, in the order of their first use. */
export function createBlankNodeLabels(): LabelBlankNode {
  const labels = new Map<string, string>();
  return ({ value }) => {
    const label = labels.get(value) ?? `b${labels.size}`;
    labels.set(value, label);
    return label;
  };
}
