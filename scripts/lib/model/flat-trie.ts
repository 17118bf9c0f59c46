// Lays out the model's vocabulary as a trie in flat arrays, as src/models/use-lite/sentencepiece-tokenizer.ts walks it. Reading
// the arrays takes no time; building the trie in the Worker would take longer than embedding a text.

/** The vocabulary begins with control symbols, which no text is split into. */
const RESERVED = 6;

interface TrieNode {
  children: Map<number, TrieNode>;
  /** The id of the piece that ends here, or 0. */
  piece: number;
}

export interface FlatTrie {
  characters: Uint16Array;
  firstChild: Uint16Array;
  pieces: Uint16Array;
}

/**
 * Numbers the nodes breadth first, and the children of each in the order of their characters: the children of node n
 * are firstChild[n] up to, not including, firstChild[n + 1].
 */
export function buildFlatTrie(pieces: readonly string[]): FlatTrie {
  const root: TrieNode = { children: new Map(), piece: 0 };
  for (const [id, piece] of pieces.entries()) if (id >= RESERVED) insertPiece(root, piece, id);

  const nodes = [{ ...root, character: 0 }];
  const firstChild: number[] = [];
  // The loop appends children to the list that it walks.
  for (const node of nodes) {
    firstChild.push(nodes.length);
    const children = [...node.children].sort(([a], [b]) => a - b);
    nodes.push(...children.map(([character, child]) => ({ ...child, character })));
  }
  return {
    characters: Uint16Array.from(nodes, ({ character }) => character),
    firstChild: Uint16Array.from([...firstChild, nodes.length]),
    pieces: Uint16Array.from(nodes, ({ piece }) => piece),
  };
}

function insertPiece(root: TrieNode, text: string, id: number): void {
  let node = root;
  for (let i = 0; i < text.length; i += 1) {
    const character = text.charCodeAt(i);
    const child = node.children.get(character) ?? { children: new Map(), piece: 0 };
    node.children.set(character, child);
    node = child;
  }
  node.piece = id;
}
