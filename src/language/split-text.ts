// Splits long texts into parts.

/** The ends of a paragraph, a line, a sentence and a word, the best place to split first. */
const BOUNDARIES = ["\n\n", "\n", ". ", " "];
/** A part ends at a boundary in its last quarter, else where it is full. */
const MIN_FILL = 0.75;

/** Splits a text into parts of at most `max` code points, which join to the same text. */
export function splitText(text: string, max: number): string[] {
  const points = Array.from(text);
  const parts: string[] = [];
  for (let from = 0; from < points.length; ) {
    const full = points.slice(from, from + max).join("");
    const part = from + max < points.length ? cutAtBoundary(full) : full;
    parts.push(part);
    from += Array.from(part).length;
  }
  return parts;
}

function cutAtBoundary(full: string): string {
  for (const boundary of BOUNDARIES) {
    const at = full.lastIndexOf(boundary);
    if (at >= full.length * MIN_FILL) return full.slice(0, at + boundary.length);
  }
  return full;
}
