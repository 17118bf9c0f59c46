// The vectors of messages: each embedded once as "Speaker: text", then drawn towards its neighbours in the session.

import {
  findNeighbour,
  indexByPosition,
  listDistances,
  smoothVector,
  VECTOR_REACH,
} from "../domain/short-term/message-neighbourhood";
import { INDEXING } from "../limits";
import type { Embedder } from "../models/embedders/embedder";
import { hash64 } from "../platform/hash";
import type { MessageRow } from "../store/sessions/message-copies";

/** What is embedded of a message. */
export function messageText({ name, role, content }: Pick<MessageRow, "name" | "role" | "content">): string {
  return `${name ?? role}: ${content}`;
}

export type MessageVectors = ReturnType<typeof createMessageVectors>;

/** Remembers the latest vectors: the next message of a conversation asks for its neighbours' again. */
export function createMessageVectors(embedder: Embedder) {
  const known = new Map<string, Float32Array>();
  /** By its text, too: in a session that was erased and begun again, an id may stand for another message. */
  const keyOf = (row: MessageRow) => `${row.vector_id} ${hash64(messageText(row))}`;

  async function embedAll(rows: readonly MessageRow[]): Promise<void> {
    const unknown = rows.filter((row) => !known.has(keyOf(row)));
    const vectors = await embedder.embed(unknown.map(messageText), "document");
    for (const [i, row] of unknown.entries()) {
      const vector = vectors[i];
      if (vector === undefined) throw new Error("The embedder gave fewer vectors than texts");
      known.set(keyOf(row), vector);
    }
  }

  /** A message alone, as it comes after a failure: a neighbour that cannot be embedded does not hold it up. */
  async function embedApart(message: MessageRow, neighbours: readonly MessageRow[]): Promise<void> {
    await embedAll([message]);
    for (const other of neighbours) await embedAll([other]).catch(() => undefined);
  }

  return {
    reach: VECTOR_REACH,

    /** The vectors of `wanted`; `rows` holds them and all their neighbours. */
    async of(rows: readonly MessageRow[], wanted: readonly MessageRow[]) {
      const sessions = new Map(
        [...Map.groupBy(rows, ({ session_id }) => session_id)].map(([id, mine]) => [
          id,
          indexByPosition(mine),
        ]),
      );
      const neighbours = (row: MessageRow) =>
        listDistances(VECTOR_REACH).flatMap((distance) => {
          const other = findNeighbour(sessions.get(row.session_id) ?? new Map(), row, distance);
          return other === null ? [] : [{ distance, row: other }];
        });
      const around = new Map(wanted.map((row) => [row, neighbours(row)]));
      const all = new Set([...around].flatMap(([row, others]) => [row, ...others.map((other) => other.row)]));
      await embedAll([...all]).catch((error: unknown) => {
        const [only] = wanted;
        if (only === undefined || wanted.length > 1) throw error;
        return embedApart(only, [...all].slice(1));
      });
      const vectors = wanted.map((row) => {
        const own = known.get(keyOf(row));
        if (own === undefined) throw new Error("A message was embedded and its vector is missing");
        const others = (around.get(row) ?? []).flatMap((other) => {
          const vector = known.get(keyOf(other.row));
          return vector === undefined ? [] : [{ distance: other.distance, vector }];
        });
        return { row, vector: smoothVector(own, others) };
      });
      for (const id of [...known.keys()].slice(0, Math.max(0, known.size - INDEXING.knownVectors)))
        known.delete(id);
      return vectors;
    },
  };
}
