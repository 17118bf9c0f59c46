// Serves the embedded vector index, and beside it the simplest alternative: a loop over floats in memory, in an object
// of its own, over the same RPC. Vectors are generated from their numbers alone.
import { DurableObject } from "cloudflare:workers";
import { VectorIndexObject } from "../../durable-objects/vector-index";
import { createEmbeddedIndex, VECTORS_PER_SHARD } from "../../src/recall/vectors/embedded-index";
import type { VectorFilter, VectorMatch, VectorRecord } from "../../src/recall/vectors/vector-index";

/** The service's own object, which also reports the size of its database. */
export class MeasuredIndexObject extends VectorIndexObject {
  bytes(): number {
    return this.ctx.storage.sql.databaseSize;
  }
}

type Env = {
  VECTOR_INDEX: DurableObjectNamespace<MeasuredIndexObject>;
  FLOATS: DurableObjectNamespace<FloatObject>;
};
type Range = { from: number; to: number; dimensions: number };
type Question = { number: number; dimensions: number; limit: number; filter: VectorFilter };

const SESSIONS = 100;

/** Returns the same vector for the same number, in a random direction (xorshift32). */
function generateVector(number: number, dimensions: number): Float32Array {
  let state = Math.imul(number + 1, 0x9e3779b1) | 1;
  const vector = new Float32Array(dimensions);
  for (let i = 0; i < dimensions; i += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    vector[i] = state / 2 ** 31;
  }
  return vector;
}

function generateRecord(number: number, dimensions: number): VectorRecord {
  return {
    id: number.toString(16).padStart(32, "0"),
    vector: generateVector(number, dimensions),
    session: `session-${number % SESSIONS}`,
    user: null,
    agent: `agent-${number % 4}`,
    project: null,
    type: ["fact", "decision", "risk"][number % 3] ?? "fact",
    live: number % 10 !== 0,
    timestamp: 1_700_000_000_000 + number,
  };
}

function generateRange<T>({ from, to }: Range, make: (number: number) => T): T[] {
  return Array.from({ length: to - from }, (_, i) => make(from + i));
}

export class FloatObject extends DurableObject<Env> {
  #floats = new Float32Array(0);

  fill({ to, dimensions }: Range): void {
    this.#floats = new Float32Array(to * dimensions);
    for (let number = 0; number < to; number += 1)
      this.#floats.set(generateVector(number, dimensions), number * dimensions);
  }

  query({ number, dimensions, limit }: Question): VectorMatch[] {
    const query = generateVector(number, dimensions);
    const floats = this.#floats;
    const best: VectorMatch[] = [];
    for (let start = 0; start < floats.length; start += dimensions) {
      let dot = 0;
      for (let i = 0; i < dimensions; i += 1) dot += (query[i] ?? 0) * (floats[start + i] ?? 0);
      if (best.length === limit && dot <= (best.at(-1)?.score ?? 0)) continue;
      best.push({ id: String(start / dimensions), score: dot });
      best.sort((a, b) => b.score - a.score);
      best.length = Math.min(best.length, limit);
    }
    return best;
  }
}

export default {
  async fetch(request, { VECTOR_INDEX, FLOATS }) {
    const index = createEmbeddedIndex(VECTOR_INDEX as DurableObjectNamespace, {
      tenant: "bench",
      embedder: "bench",
    });
    const floats = FLOATS.getByName("floats");
    switch (new URL(request.url).pathname) {
      case "/fill": {
        const fill = await request.json<Range>();
        await index.upsert(
          "memory",
          generateRange(fill, (number) => generateRecord(number, fill.dimensions)),
        );
        return Response.json({});
      }
      case "/bytes": {
        const { to } = await request.json<Range>();
        const shards = Array.from({ length: Math.ceil(to / VECTORS_PER_SHARD) }, (_, n) =>
          VECTOR_INDEX.getByName(`bench/memory/bench/${n}`).bytes(),
        );
        return Response.json((await Promise.all(shards)).reduce((sum, bytes) => sum + bytes, 0));
      }
      case "/make": {
        const make = await request.json<Range>();
        return Response.json(generateRange(make, (number) => generateRecord(number, make.dimensions)).length);
      }
      case "/query": {
        const { number, dimensions, limit, filter } = await request.json<Question>();
        return Response.json(
          await index.query("memory", generateVector(number, dimensions), { limit, filter }),
        );
      }
      case "/floats/fill":
        await floats.fill(await request.json<Range>());
        return Response.json({});
      case "/floats/query":
        return Response.json(await floats.query(await request.json<Question>()));
      default:
        return Response.json({});
    }
  },
} satisfies ExportedHandler<Env>;
