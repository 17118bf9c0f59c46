// Vectors that callers bring: normalised to length 1, as those of embedders are, and stored as text.

/** Returns base64 of the vector's 32-bit floats, scaled to length 1. */
export function encodeVector(numbers: readonly number[]): string {
  // Scaled by the largest first: the squares of large numbers would overflow.
  const largest = Math.max(...numbers.map(Math.abs));
  const scaled = numbers.map((value) => value / largest);
  const length = Math.hypot(...scaled);
  const bytes = new Uint8Array(Float32Array.from(scaled, (value) => value / length).buffer);
  return btoa(String.fromCharCode(...bytes));
}

type StoredVector = { embedding: string | null; embedder: string | null };

/** Returns the vector of a row, null if it has none for this embedder. */
export function readOwnVector(
  { embedding, embedder }: StoredVector,
  current: { name: string; dimensions: number },
): Float32Array | null {
  if (embedding === null || embedder !== current.name) return null;
  const bytes = Uint8Array.from(atob(embedding), (char) => char.charCodeAt(0));
  const vector = new Float32Array(bytes.buffer);
  return vector.length === current.dimensions ? vector : null;
}
