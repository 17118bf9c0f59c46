// The SentencePiece unigram tokenizer: splits a text into the most probable sequence of pieces (Viterbi).
// Reproduces the tokenizer of the model's package with all its quirks, since the model was trained on its ids.

export const UNKNOWN = 0;

/** Replaces each space and precedes every text. */
const SPACE = "\u2581";

/**
 * All pieces as a trie in flat arrays. The children of node n are firstChild[n] to firstChild[n + 1] - 1, ordered by
 * character. `pieces` is 0 at nodes where no piece ends.
 */
export type Vocabulary = {
  characters: Uint16Array;
  firstChild: Uint16Array;
  pieces: Uint16Array;
  /** The log probability of each piece, by id. */
  scores: Float64Array;
};

export function tokenize(text: string, vocabulary: Vocabulary): number[] {
  const normal = text.normalize("NFKC");
  if (normal === "") return [];
  const input = SPACE + normal.replaceAll(" ", SPACE);

  // For the first `end` characters: the best score, the last piece of that split and the start of that piece.
  const best = new Float64Array(input.length + 1);
  const last = new Uint16Array(input.length + 1);
  const from = Int32Array.from(best, (_, end) => end - 1);
  const offer = (start: number, end: number, piece: number, score: number) => {
    const other = at(best, end);
    if (other !== 0 && score < other) return;
    best[end] = score;
    last[end] = piece;
    from[end] = start;
  };
  for (let start = 0; start < input.length; start += 1) {
    const before = at(best, start);
    let known = false;
    let node = 0;
    for (let end = start + 1; end <= input.length; end += 1) {
      node = findChild(vocabulary, node, input.charCodeAt(end - 1));
      if (node === 0) break;
      const piece = at(vocabulary.pieces, node);
      if (piece === 0) continue;
      known = true;
      offer(start, end, piece, before + at(vocabulary.scores, piece));
    }
    if (!known) offer(start, start + 1, UNKNOWN, before);
  }

  const ids: number[] = [];
  for (let end = input.length; end > 0; end = at(from, end)) {
    const id = at(last, end);
    // Consecutive unknown characters are one token.
    if (id !== UNKNOWN || ids.at(-1) !== UNKNOWN) ids.push(id);
  }
  return ids.reverse();
}

/** Finds a child by binary search; returns 0, the root, when there is none. */
function findChild({ characters, firstChild }: Vocabulary, node: number, character: number): number {
  let low = at(firstChild, node);
  let high = at(firstChild, node + 1) - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = at(characters, middle);
    if (found === character) return middle;
    if (found < character) low = middle + 1;
    else high = middle - 1;
  }
  return 0;
}

/** Reads an element whose index is within bounds. */
function at(array: Uint16Array | Int32Array | Float64Array, index: number): number {
  return array[index] ?? 0;
}
