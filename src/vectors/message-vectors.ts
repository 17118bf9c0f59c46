// The vectors of messages: each embedded once as "Speaker: text", then drawn towards its neighbours in the session.
import type { Embedder } from "../embedding/embedder";
import { INDEXING } from "../limits";
import type { MessageRow } from "../long-term/messages";
import { byPosition, distances, neighbour, smooth, VECTOR_REACH } from "../short-term/neighbourhood";

/** What is embedded of a message. */
export function messageText({ name, role, content }: Pick<MessageRow, "name" | "role" | "content">): string {
  return `${name ?? role}: ${content}`;
}

export type MessageVectors = ReturnType<typeof createMessageVectors>;

/** Remembers the latest vectors: the next message of a conversation asks for its neighbours' again. */
export function createMessageVectors(embedder: Embedder) {
  const known = new Map<string, Float32Array>();

  async function embedAll(rows: readonly MessageRow[]): Promise<void> {
    const unknown = rows.filter(({ vector_id }) => !known.has(vector_id));
    const vectors = await embedder.embed(unknown.map(messageText), "document");
    for (const [i, { vector_id }] of unknown.entries()) {
      const vector = vectors[i];
      if (vector !== undefined) known.set(vector_id, vector);
    }
  }

  return {
    reach: VECTOR_REACH,

    /** The vectors of `wanted`; `rows` holds them and all their neighbours. */
    async of(rows: readonly MessageRow[], wanted: readonly MessageRow[]) {
      const sessions = new Map(
        [...Map.groupBy(rows, ({ session_id }) => session_id)].map(([id, mine]) => [id, byPosition(mine)]),
      );
      const neighbours = (row: MessageRow) =>
        distances(VECTOR_REACH).flatMap((distance) => {
          const other = neighbour(sessions.get(row.session_id) ?? new Map(), row, distance);
          return other === null ? [] : [{ distance, row: other }];
        });
      await embedAll([...new Set(wanted.flatMap((row) => [row, ...neighbours(row).map((n) => n.row)]))]);
      const vectorOf = ({ vector_id }: MessageRow): Float32Array => {
        const vector = known.get(vector_id);
        if (vector === undefined) throw new Error("The embedder gave fewer vectors than texts");
        return vector;
      };
      const vectors = wanted.map((row) => ({
        row,
        vector: smooth(
          vectorOf(row),
          neighbours(row).map((n) => ({ distance: n.distance, vector: vectorOf(n.row) })),
        ),
      }));
      for (const id of [...known.keys()].slice(0, Math.max(0, known.size - INDEXING.knownVectors)))
        known.delete(id);
      return vectors;
    },
  };
}
