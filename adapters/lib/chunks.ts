// Splits texts into pieces that the service accepts.

/** Returns the first `max` UTF-16 units at most, without splitting a surrogate pair. */
export function truncate(text: string, max: number): string {
  return text.slice(0, alignToCodePoint(text, Math.min(max, text.length)));
}

/** Replaces NUL and lone surrogates, which the service rejects, by spaces. */
export function replaceInvalid(text: string): string {
  return text.replaceAll(/\0|\p{Surrogate}/gu, " ");
}

/** Splits a text into pieces of at most `max` UTF-16 units that join to the same text, keeping surrogate pairs whole. */
export function splitExactly(text: string, max: number): string[] {
  const chunks: string[] = [];
  for (let from = 0; from < text.length; ) {
    const chunk = truncate(text.slice(from), max);
    chunks.push(chunk);
    from += chunk.length;
  }
  return chunks;
}

/** Splits a text for search: pieces end at a line break or a space if there is one in their last quarter. */
export function splitAtSpaces(text: string, max: number): string[] {
  const chunks: string[] = [];
  for (let rest = text.trim(); rest !== ""; rest = rest.slice(chunks.at(-1)?.length ?? max).trimStart())
    chunks.push(rest.length <= max ? rest : truncateAtSpace(truncate(rest, max)));
  return chunks;
}

function truncateAtSpace(piece: string): string {
  const least = piece.length * 0.75;
  const end = ["\n", " "].map((mark) => piece.lastIndexOf(mark)).find((at) => at > least);
  return end === undefined ? piece : piece.slice(0, end);
}

/** Returns the position, or the one before it if it is inside a surrogate pair. */
function alignToCodePoint(text: string, at: number): number {
  const next = text.charCodeAt(at);
  return next >= 0xdc00 && next <= 0xdfff ? at - 1 : at;
}
