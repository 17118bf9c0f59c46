// What a shard of the embedded index answers to. Vectors cross as the small integers that are stored, not as
// floats: a quarter of the bytes. Failures are values, because an error loses its class on the way.
import type { VectorFilter, VectorMatch, VectorRecord } from "../vector-index";

export type ShardRecord = Omit<VectorRecord, "vector">;

export type ShardBatch = {
  dimensions: number;
  records: ShardRecord[];
  /** The records' vectors, one after the other, and the scale of each. */
  rows: Int8Array;
  scales: Float32Array;
};

export type ShardQuery = { dimensions: number; query: Int16Array; limit: number; filter: VectorFilter };

export type WrongDimensions = { status: "wrong_dimensions"; dimensions: number };

/** `full`: it takes no new ids any more, for good, and there is a next shard. */
export type ShardAnswer<T> = ({ status: "ok"; full: boolean } & T) | WrongDimensions;

export type ShardRpc = {
  /** Gives the places in the batch of the records that it did not take, being full. */
  upsert(batch: ShardBatch, capacity: number): Promise<ShardAnswer<{ refused: number[] }>>;
  /** Gives the places in the list of the ids that it holds. */
  known(ids: string[], dimensions: number): Promise<ShardAnswer<{ places: number[] }>>;
  query(query: ShardQuery): Promise<ShardAnswer<{ matches: VectorMatch[] }>>;
  remove(ids: string[]): Promise<ShardAnswer<{ removed: number }>>;
  wipe(): Promise<void>;
};
