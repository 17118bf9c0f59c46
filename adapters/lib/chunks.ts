// A text in pieces that the service takes.

/** Its beginning, of at most `max` UTF-16 units. */
export function cut(text: string, max: number): string {
  return text.slice(0, whole(text, Math.min(max, text.length)));
}

/** A text that search can read, which is all that the service takes. */
export function clean(text: string): string {
  return text.replaceAll(/\0|\p{Surrogate}/gu, " ");
}

/** Pieces of at most `max` UTF-16 units that join to the same text. No pair of surrogates is torn apart. */
export function exactChunks(text: string, max: number): string[] {
  const chunks: string[] = [];
  for (let from = 0; from < text.length; ) {
    const chunk = cut(text.slice(from), max);
    chunks.push(chunk);
    from += chunk.length;
  }
  return chunks;
}

/** Pieces for search: they end between lines or words, if there is such a place in their last quarter. */
export function readableChunks(text: string, max: number): string[] {
  const chunks: string[] = [];
  for (let rest = text.trim(); rest !== ""; rest = rest.slice(chunks.at(-1)?.length ?? max).trimStart())
    chunks.push(rest.length <= max ? rest : betweenWords(cut(rest, max)));
  return chunks;
}

function betweenWords(piece: string): string {
  const least = piece.length * 0.75;
  const end = ["\n", " "].map((mark) => piece.lastIndexOf(mark)).find((at) => at > least);
  return end === undefined ? piece : piece.slice(0, end);
}

/** The place itself, or the one before it where that is within a pair. */
function whole(text: string, at: number): number {
  const next = text.charCodeAt(at);
  return next >= 0xdc00 && next <= 0xdfff ? at - 1 : at;
}
