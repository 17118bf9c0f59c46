// Writes vectors of the memories or messages in D1 to the embedded index, without the embedder, which would take hours for a
// hundred thousand. The vectors are random and of length 1: a scan of them takes as long as one of real vectors.
import { openDatabase } from "../../src/kernel/databases/d1";
import { computeScopeTokens } from "../../src/memories/store/memory-id";
import { claimVectorState } from "../../src/recall/index/vector-state";
import { createEmbeddedIndex } from "../../src/recall/vectors/embedded-index";
import type { VectorRecord } from "../../src/recall/vectors/vector-index";

export { VectorIndexObject } from "../../durable-objects/vector-index";

/** `after` is the last row that already has its vector. */
type Load = {
  tenant: string;
  kind: "memory" | "message";
  embedder: string;
  dimensions: number;
  after: number;
  limit: number;
};

const SELECT = {
  memory: "SELECT seq, id, type, session_id, agent_id, project_id, live, timestamp FROM memories",
  message: `SELECT seq, vector_id AS id, '' AS type, session_id, agent_id, project_id, 1 AS live, timestamp
    FROM messages`,
};

type Row = {
  seq: number;
  id: string;
  type: string;
  session_id: string | null;
  agent_id: string | null;
  project_id: string | null;
  live: number;
  timestamp: string;
};

type Env = { DB: D1Database; VECTOR_INDEX: DurableObjectNamespace };

export default {
  async fetch(request, { DB, VECTOR_INDEX }) {
    const { tenant, kind, embedder, dimensions, after, limit } = await request.json<Load>();
    const { results } = await DB.prepare(`${SELECT[kind]} WHERE tenant = ? AND seq > ? ORDER BY seq LIMIT ?`)
      .bind(tenant, after, limit)
      .all<Row>();
    const index = createEmbeddedIndex(VECTOR_INDEX, { tenant, embedder });
    await index.upsert(
      kind,
      results.map((row) => toRecord(tenant, row, dimensions)),
    );
    const db = openDatabase(DB);
    await claimVectorState(db, { name: embedder, dimensions, index: "embedded" });
    await DB.prepare(
      `DELETE FROM vector_queue WHERE tenant = ? AND kind = ? AND id IN (SELECT value FROM json_each(?))`,
    )
      .bind(tenant, kind, JSON.stringify(results.map(({ id }) => id)))
      .run();
    return Response.json({ loaded: results.length, last: results.at(-1)?.seq ?? after });
  },
} satisfies ExportedHandler<Env>;

function toRecord(tenant: string, row: Row, dimensions: number): VectorRecord {
  return {
    id: row.id,
    vector: createUnitVector(row.seq, dimensions),
    ...computeScopeTokens(tenant, row),
    type: row.type,
    live: row.live === 1,
    timestamp: Date.parse(row.timestamp),
  };
}

/** Returns the same vector for the same seed, by xorshift32: small, and good enough for random directions. */
function createUnitVector(seed: number, dimensions: number): Float32Array {
  let state = Math.imul(seed + 1, 0x9e3779b1) | 1;
  const vector = Float32Array.from({ length: dimensions }, () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state / 2 ** 31;
  });
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}
