// The tables whose rows have vectors, by kind, and their columns with the id in the vector index.
import type { VectorKind } from "../../recall/vectors/vector-index";

export const VECTOR_TABLES = {
  memory: { table: "memories", id: "id" },
  episode: { table: "episodes", id: "vector_id" },
  item: { table: "items", id: "vector_id" },
  message: { table: "messages", id: "vector_id" },
} as const satisfies Record<VectorKind, { table: string; id: string }>;
