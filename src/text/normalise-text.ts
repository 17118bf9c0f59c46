// Text as memory reads it: what counts as the same content, how a value reads, where a sentence ends.

/** The form in which two contents are the same memory. */
export function normaliseContent(text: string): string {
  const folded = text.normalize("NFKC").toLowerCase().normalize("NFKC").replace(/\s+/g, " ").trim();
  let end = folded.length;
  while (end > 0 && " .!".includes(folded.charAt(end - 1))) end -= 1;
  // A content of nothing but punctuation is still itself.
  return end === 0 ? folded : folded.slice(0, end);
}
/** At most `max` code points; what is cut off shows as an ellipsis. */
export function clip(text: string, max: number): string {
  if (text.length <= max) return text;
  const points = Array.from(text);
  return points.length <= max
    ? text
    : `${points
        .slice(0, max - 1)
        .join("")
        .trimEnd()}…`;
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
export function collapseWhitespace(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
