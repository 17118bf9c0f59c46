// The model's vocabulary as a trie in flat arrays, as src/embedding/use-lite/tokenizer.ts walks it: reading it takes
// no time, where building it takes longer than embedding a text.

/** Control symbols come first in the vocabulary, and no text is cut into them. */
const RESERVED = 6;

/**
 * Nodes are numbered breadth first, and the children of each in the order of their characters: those of node n are
 * firstChild[n] up to, not including, firstChild[n + 1]. `piece` is 0 where no piece ends.
 */
export function flatTrie(pieces) {
  const root = { children: new Map(), piece: 0 };
  for (const [id, piece] of pieces.entries()) if (id >= RESERVED) insert(root, piece, id);

  const nodes = [{ ...root, character: 0 }];
  const firstChild = [];
  for (let n = 0; n < nodes.length; n += 1) {
    firstChild.push(nodes.length);
    const children = [...nodes[n].children].sort(([a], [b]) => a - b);
    nodes.push(...children.map(([character, node]) => ({ ...node, character })));
  }
  return {
    characters: Uint16Array.from(nodes, ({ character }) => character),
    firstChild: Uint16Array.from([...firstChild, nodes.length]),
    pieces: Uint16Array.from(nodes, ({ piece }) => piece),
  };
}

function insert(root, text, id) {
  let node = root;
  for (let i = 0; i < text.length; i += 1) {
    const character = text.charCodeAt(i);
    if (!node.children.has(character)) node.children.set(character, { children: new Map(), piece: 0 });
    node = node.children.get(character);
  }
  node.piece = id;
}
